/** Reads a large request body into one buffer: within its limit, within the process's budget, and never for ever. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { ClientGone, HttpProblem } from './http-problem.js';

/** A body that has not arrived by then was not worth the bytes that it holds. */
const BODY_TIMEOUT_MS = 300_000;

interface BodyLimits {
  readonly maxBytes: number;
  /** Overrides the five minutes in which the whole body must arrive. */
  readonly deadlineMs?: number | undefined;
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly lease: BodyLease;
}

/**
 * Reads the body. What Content-Length says is refused or reserved before a byte is read; without one, or compressed,
 * the reservation grows as the body does. `maxBytes` counts what comes out of the decompressor.
 * @returns the bytes, and the lease to release when nothing holds them any more
 * @throws HttpProblem 413, 408 or 400 (not gzip); DomainError unavailable (budget); ClientGone
 */
export async function readBodyBytes(
  request: IncomingMessage,
  budget: BodyBudget,
  limits: BodyLimits,
): Promise<ReadBody> {
  // Who left before we began to listen will not be heard leaving.
  if (request.destroyed) throw new ClientGone();
  const gzipped = request.headers['content-encoding'] === 'gzip';
  const declared = gzipped ? undefined : declaredLength(request);
  if ((declaredLength(request) ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const lease = budget.lease(declared ?? 0);
  try {
    const collector = declared === undefined ? growing(lease) : ofKnownSize(declared);
    await collect(request, gzipped, limits, collector.add);
    return { bytes: collector.finish(), lease };
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** The value of Content-Length; Node's parser has seen to it that it is a number, sent once. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

export function tooLarge(maxBytes: number): HttpProblem {
  const limit = maxBytes >= 1_048_576 ? `${Math.floor(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`;
  return new HttpProblem(413, 'PAYLOAD_TOO_LARGE', `the body is larger than ${limit}; send it in parts`);
}

interface Collector {
  add(chunk: Buffer): void;
  finish(): Buffer;
}

/** One allocation, filled as bytes arrive. */
function ofKnownSize(size: number): Collector {
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  return {
    add: (chunk) => {
      at += chunk.copy(target, at);
    },
    finish: () => target.subarray(0, at),
  };
}

function growing(lease: BodyLease): Collector {
  const chunks: Buffer[] = [];
  return {
    add: (chunk) => {
      lease.grow(chunk.length);
      chunks.push(chunk);
    },
    finish: () => Buffer.concat(chunks),
  };
}

function collect(
  request: IncomingMessage,
  gzipped: boolean,
  { maxBytes, deadlineMs = BODY_TIMEOUT_MS }: BodyLimits,
  add: (chunk: Buffer) => void,
): Promise<void> {
  const source: Readable = gzipped ? request.pipe(createGunzip()) : request;
  return new Promise((resolve, reject) => {
    let size = 0;
    const deadline = setTimeout(
      () => settle(new HttpProblem(408, 'REQUEST_TIMEOUT', 'the body did not arrive in time')),
      deadlineMs,
    );

    function onData(chunk: Buffer): void {
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        add(chunk);
      } catch (error) {
        settle(error);
      }
    }
    const onEnd = (): void => settle(null);
    const onClose = (): void => {
      if (!request.readableEnded) settle(new ClientGone());
    };
    const onError = (): void =>
      settle(
        request.destroyed && !request.readableEnded
          ? new ClientGone()
          : new HttpProblem(400, 'BODY_NOT_GZIP', 'the body is not the gzip that its Content-Encoding says'),
      );

    function settle(error: unknown): void {
      clearTimeout(deadline);
      source.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('close', onClose).off('error', onError);
      if (gzipped) {
        request.unpipe();
        source.on('error', ignore).destroy();
      }
      if (error === null) resolve();
      else reject(error);
    }

    source.on('data', onData).on('end', onEnd).on('error', onError);
    request.on('close', onClose);
    if (gzipped) request.on('error', onError);
  });
}

/** What a decompressor says after we stopped listening to it. */
function ignore(): void {}
