/**
 * Lets a client finish sending a body that was refused unread: cut off at once, it would see a broken connection
 * instead of the answer. What arrives is thrown away, and not for long.
 */
import type { Next } from 'koa';
import type { ApiContext } from '../dispatch.js';

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
