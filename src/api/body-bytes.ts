/**
 * Reads a large request body into one buffer, within a limit of size, a limit of time, a minimum rate and the process's
 * budget.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ClientGone, HttpProblem } from './http-problem.js';
import type { BodyBudget, BodyLease } from './limits/body-budget.js';

/** A body that takes longer is refused, because it occupies bytes of the budget. */
const BODY_TIMEOUT_MS = 300_000;

/** A body must arrive at this rate on average, after a time in which a connection may be slow to start. */
const MIN_BYTES_PER_MS = 8;
const SLOW_START_MS = 15_000;

interface BodyLimits {
  readonly maxBytes: number;
  /** Whose share of the budget the bytes are. */
  readonly holder: string;
  /** The time in which the whole body must arrive. Default: five minutes. */
  readonly deadlineMs?: number | undefined;
  /** How long a body may arrive more slowly than the minimum rate. Default: 15 seconds. */
  readonly slowStartMs?: number | undefined;
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly lease: BodyLease;
}

/**
 * Reads the body. If Content-Length says that it is too large, it is refused before a byte is read. The reservation
 * grows with the bytes that arrive, decompressed. `maxBytes` limits the decompressed size.
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
  const declared = declaredLength(request) ?? 0;
  if (declared > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const refused = new AbortController();
  const lease = budget.lease(limits.holder, (error) => refused.abort(error));
  try {
    const collector = gzipped || declared === 0 ? ofUnknownSize() : ofKnownSize(declared);
    await collect(request, gzipped, limits, refused.signal, (chunk) => {
      lease.grow(chunk.length);
      collector.add(chunk);
    });
    lease.complete();
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
  add(chunk: Buffer): unknown;
  finish(): Buffer;
}

/**
 * How much of a body is read in one turn of the event loop. Node reads up to 2 MB of each connection, and with many of
 * them no timer and no other request has its turn for seconds.
 */
const BYTES_PER_TURN = 128 * 1024;

const FIRST_BYTES = 65_536;
const GROWTH = 4;

/** Fills a buffer that grows in a few steps to the declared size, so that an announcement alone allocates little. */
function ofKnownSize(size: number): Collector {
  let target = Buffer.allocUnsafeSlow(Math.min(size, FIRST_BYTES));
  let at = 0;
  return {
    add: (chunk) => {
      if (at + chunk.length > target.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(size, (at + chunk.length) * GROWTH));
        target.copy(larger, 0, 0, at);
        target = larger;
      }
      at += chunk.copy(target, at);
    },
    finish: () => target.subarray(0, at),
  };
}

function ofUnknownSize(): Collector {
  const chunks: Buffer[] = [];
  return { add: (chunk) => chunks.push(chunk), finish: () => Buffer.concat(chunks) };
}

function collect(
  request: IncomingMessage,
  gzipped: boolean,
  { maxBytes, deadlineMs, slowStartMs }: BodyLimits,
  refused: AbortSignal,
  add: (chunk: Buffer) => void,
): Promise<void> {
  const source: Readable = gzipped ? request.pipe(createGunzip()) : request;
  return new Promise((resolve, reject) => {
    let size = 0;
    let inTurn = 0;
    const late = watchRate(request, { deadlineMs, slowStartMs }, settle);
    const onRefused = (): void => settle(refused.reason);

    function onData(chunk: Buffer): void {
      size += chunk.length;
      inTurn += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        add(chunk);
      } catch (error) {
        settle(error);
        return;
      }
      if (inTurn < BYTES_PER_TURN) return;
      source.pause();
      setImmediate(() => {
        inTurn = 0;
        source.resume();
      });
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
      late.stop();
      refused.removeEventListener('abort', onRefused);
      source.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('close', onClose).off('error', onError);
      if (gzipped) {
        request.unpipe();
        source.on('error', ignore).destroy();
      }
      if (error === null) resolve();
      else reject(error);
    }

    refused.addEventListener('abort', onRefused);
    source.on('data', onData).on('end', onEnd).on('error', onError);
    request.on('close', onClose);
    if (gzipped) request.on('error', onError);
  });
}

interface RateWatch {
  stop(): void;
}

/**
 * Watches that a body arrives in time: as a whole by a deadline, and on average at the minimum rate. A byte from time to
 * time therefore renews nothing.
 * @param onLate called once, with the HttpProblem 408
 */
export function watchRate(
  request: IncomingMessage,
  { deadlineMs = BODY_TIMEOUT_MS, slowStartMs = SLOW_START_MS }: Pick<BodyLimits, 'deadlineMs' | 'slowStartMs'>,
  onLate: (error: HttpProblem) => void,
): RateWatch {
  const startedAt = performance.now();
  const bytesBefore = request.socket.bytesRead;
  let stopped = false;
  let timer = setTimeout(onTimer, Math.min(slowStartMs, deadlineMs));

  // What has arrived while the process was busy is read before it is judged.
  function onTimer(): void {
    setImmediate(check);
  }
  function check(): void {
    if (stopped) return;
    const allowedMs = slowStartMs + (request.socket.bytesRead - bytesBefore) / MIN_BYTES_PER_MS;
    const leftMs = Math.min(allowedMs, deadlineMs) - (performance.now() - startedAt);
    if (leftMs > 0) timer = setTimeout(onTimer, leftMs + 1);
    else onLate(new HttpProblem(408, 'REQUEST_TIMEOUT', 'the body did not arrive in time, or too slowly'));
  }
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Ignores errors that the decompressor emits after we stopped reading. */
function ignore(): void {}
