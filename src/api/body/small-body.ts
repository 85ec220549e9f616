/** Reads the bytes of small bodies (JSON, forms) with koa-body, within the budget and the limits of time and size. */
import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { declaredLength, tooLarge, watchRate } from '../body-bytes.js';
import { ClientGone } from '../http-problem.js';
import type { BodyBudget, BodyLease } from '../limits/body-budget.js';

export interface SmallBody {
  readonly holder: string;
  readonly maxBytes: number;
}

/** A small body that takes longer than this is refused. */
export const BODY_TIMEOUT_MS = 60_000;

const readers = new Map<number, Middleware>();

/**
 * koa-body would replace malformed UTF-8 silently. With the encoding `binary`, one character for each byte, the bytes
 * stay as they are, and are decoded afterwards.
 */
function readerFor(maxBytes: number): Middleware {
  const known = readers.get(maxBytes);
  if (known !== undefined) return known;
  const reader = koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['*/*'],
    parsedMethods: Object.values(HttpMethodEnum),
    textLimit: maxBytes,
    encoding: 'binary',
  });
  readers.set(maxBytes, reader);
  return reader;
}

/** Reads a whole small body. @throws HttpProblem 400, 408, 413; DomainError unavailable (budget); ClientGone */
export async function readSmallBody(
  ctx: Context,
  budget: BodyBudget,
  { holder, maxBytes }: SmallBody,
): Promise<{ bytes: Buffer; lease: BodyLease }> {
  const { req } = ctx;
  // The events of a client that left before we listen are lost.
  if (req.destroyed) throw new ClientGone();
  if ((declaredLength(req) ?? 0) > maxBytes) throw tooLarge(maxBytes);
  let refuse: (error: unknown) => void = () => undefined;
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const lease = budget.lease(holder, refuse);
  const late = watchRate(req, { deadlineMs: BODY_TIMEOUT_MS }, refuse);
  const onData = (chunk: Buffer): void => {
    try {
      lease.grow(chunk.length);
    } catch (error) {
      refuse(error);
    }
  };
  // The event is emitted once, so the listener needs no removal.
  req.once('close', () => {
    if (!req.readableEnded) refuse(new ClientGone());
  });
  try {
    const read = readerFor(maxBytes)(ctx, async () => {});
    req.on('data', onData);
    await Promise.race([read, refused]);
    lease.complete();
  } catch (error) {
    lease.release();
    // The reader would collect the rest, which is no longer counted.
    req.removeAllListeners('data');
    throw translated(error, maxBytes);
  } finally {
    late.stop();
    req.off('data', onData);
  }
  const text: unknown = ctx.request.body;
  return { bytes: Buffer.from(typeof text === 'string' ? text : '', 'latin1'), lease };
}

function translated(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  if ('type' in error && error.type === 'entity.too.large') return tooLarge(maxBytes);
  if ('type' in error && error.type === 'request.aborted') return new ClientGone();
  return error;
}
