/** Reads a large request body into one buffer, within a limit of size, a limit of time and the process's budget. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BodyBudget, BodyLease } from './body-budget.js';
import { ClientGone, HttpProblem } from './http-problem.js';

/** A body that takes longer is refused, because it occupies bytes of the budget. */
const BODY_TIMEOUT_MS = 300_000;

interface BodyLimits {
  readonly maxBytes: number;
  /** The time in which the whole body must arrive. Default: five minutes. */
  readonly deadlineMs?: number | undefined;
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly lease: BodyLease;
}

/**
 * Reads the body. If Content-Length says the size, it is refused or reserved before a byte is read. Otherwise, or when
 * the body is compressed, the reservation grows with the body. `maxBytes` limits the decompressed size.
 * @returns the bytes, and the lease to release when they are no longer used
 * @throws HttpProblem 413, 408 or 400 (not gzip); DomainError unavailable (budget); ClientGone
 */
export async function readBodyBytes(
  request: IncomingMessage,
  budget: BodyBudget,
  limits: BodyLimits,
): Promise<ReadBody> {
  // The events of a client that left before we listen are lost.
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

/** The value of Content-Length. Node's parser has checked that it is a number and was sent once. */
export function declaredLength(request: IncomingMessage): number | undefined {
  const text = request.headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

export function tooLarge(maxBytes: number): HttpProblem {
  const limit = maxBytes >= 1_048_576 ? `${Math.floor(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`;
  return new HttpProblem(
    413,
    'PAYLOAD_TOO_LARGE',
    `the body is larger than ${limit}; split it and send several requests`,
  );
}

interface Collector {
  add(chunk: Buffer): void;
  finish(): Buffer;
}

/** Allocates once and fills the buffer as bytes arrive. */
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

/** Ignores errors that the decompressor emits after we stopped reading. */
function ignore(): void {}
