/** Small bodies (JSON, forms) by koa-body, with what it leaves open: exact UTF-8, storable text, bounded nesting. */

import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { declaredLength, tooLarge } from './body-bytes.js';
import { ClientGone, HttpProblem } from './http-problem.js';
import { checkJsonText } from './json-text.js';

/** A small body that takes longer than this is not on its way any more. */
const WHOLE_BODY_MS = 60_000;

const readers = new Map<number, Middleware>();

/**
 * koa-body would decode UTF-8 leniently, replacing what is malformed without a word. Read as `binary`, one character a
 * byte, the bytes come through exactly, and are decoded below.
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
    textLimit: maxBytes,
    encoding: 'binary',
  });
  readers.set(maxBytes, reader);
  return reader;
}

/** Reads a small body whole. @throws HttpProblem 400, 408, 413; DomainError unavailable (budget); ClientGone */
export async function readSmallBody(
  ctx: Context,
  budget: BodyBudget,
  maxBytes: number,
): Promise<{ bytes: Buffer; lease: BodyLease }> {
  // Who left before we began to listen will not be heard leaving.
  if (ctx.req.destroyed) throw new ClientGone();
  const declared = declaredLength(ctx.req);
  if ((declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const compressed = ctx.req.headers['content-encoding'] === 'gzip';
  const lease = budget.lease(compressed ? maxBytes : (declared ?? maxBytes));
  const late = deadline();
  try {
    await Promise.race([readerFor(maxBytes)(ctx, async () => {}), clientGone(ctx), late.passed]);
  } catch (error) {
    lease.release();
    throw translated(error, maxBytes);
  } finally {
    late.cancel();
  }
  const text: unknown = ctx.request.body;
  return { bytes: Buffer.from(typeof text === 'string' ? text : '', 'latin1'), lease };
}

/** Bytes as text. @throws HttpProblem 400 when they are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpProblem(400, 'BODY_NOT_UTF8', 'the body is not UTF-8');
  }
}

/** Bytes as JSON. @throws HttpProblem 400 when they are not UTF-8, not JSON, nested too deep, or hold text that cannot be stored */
export function decodeJson(bytes: Buffer): unknown {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be parsed';
    throw new HttpProblem(400, 'BODY_NOT_JSON', `the body is not JSON: ${reason}`);
  }
  checkJsonText(value);
  return value;
}

function deadline(): { passed: Promise<never>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    const late = new HttpProblem(408, 'REQUEST_TIMEOUT', 'the body did not arrive in time');
    timer = setTimeout(() => reject(late), WHOLE_BODY_MS);
  });
  return { passed, cancel: () => clearTimeout(timer) };
}

/** A decompressor between us and the socket does not hear of the client's going: this does. */
function clientGone(ctx: Context): Promise<never> {
  return new Promise((_, reject) => {
    ctx.req.once('close', () => {
      if (!ctx.req.readableEnded) reject(new ClientGone());
    });
  });
}

function translated(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  if ('type' in error && error.type === 'entity.too.large') return tooLarge(maxBytes);
  if ('type' in error && error.type === 'request.aborted') return new ClientGone();
  if ('code' in error && String(error.code).startsWith('Z_')) {
    return new HttpProblem(400, 'BODY_NOT_GZIP', 'the body is not the gzip that its Content-Encoding says');
  }
  return error;
}
