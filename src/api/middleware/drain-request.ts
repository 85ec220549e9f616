/**
 * Reads and discards the rest of a body that was refused, for a limited time. If the connection were closed at
 * once, the client would see a connection error instead of the answer.
 */
import type { Next } from 'koa';
import type { ApiContext } from '../request-state.js';

const MAX_DRAIN_MS = 15_000;

export async function drainRequest(ctx: ApiContext, next: Next): Promise<void> {
  const { req, res } = ctx;
  res.once('finish', () => {
    if (req.complete || req.destroyed) return;
    req.resume();
    const cut = setTimeout(() => req.destroy(), MAX_DRAIN_MS);
    cut.unref();
    req.once('close', () => clearTimeout(cut));
  });
  await next();
}
