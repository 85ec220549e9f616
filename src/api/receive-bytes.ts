/** Streams a request's body into a file, with a limit of size, a limit of silence, and at the speed of the disk. */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { tooLarge } from './body-bytes.js';
import { ClientGone, HttpProblem } from './http-problem.js';

/** The least average rate of an upload, 1 kB/s, so that a byte from time to time does not hold a connection for ever. */
const MIN_BYTES_PER_MS = 1;

interface ReceiveLimits {
  readonly maxBytes: number;
  /** How long the client may send nothing, or more slowly than the minimum rate. */
  readonly idleMs: number;
  /** Called after each 16 MiB; when it throws, the body is refused with its error. */
  readonly checkRoom?: () => Promise<void>;
}

const CHECK_ROOM_BYTES = 16 * 1024 * 1024;

/**
 * Writes the body to `sink` and ends it. On an error the caller discards the sink; the rest of the body is not read.
 * @returns the number of bytes
 * @throws HttpProblem 413 or 408; ClientGone when the body is incomplete; the error of the sink
 */
export async function receiveBytes(request: IncomingMessage, sink: Writable, limits: ReceiveLimits): Promise<number> {
  // The events of a client that left before we listen are lost.
  if (request.destroyed) throw new ClientGone();
  // Our own timer can answer the client; the server's would only close the connection, even during the commit.
  // The server sets its timer again after the answer.
  request.socket.setTimeout(0);
  const bytes = await pump(request, sink, limits);
  sink.end();
  // Wait until it is closed, because closing flushes the bytes to disk.
  await finished(sink);
  return bytes;
}

function pump(request: IncomingMessage, sink: Writable, limits: ReceiveLimits): Promise<number> {
  const { maxBytes, idleMs, checkRoom } = limits;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const startedAt = performance.now();
    let pausedAt = 0;
    let pausedMs = 0;
    const idle = setTimeout(onIdle, idleMs);

    function onIdle(): void {
      // While we wait for the disk, the client is not silent.
      if (request.isPaused()) idle.refresh();
      else settle(tooSlow(idleMs));
    }
    function onData(chunk: Buffer): void {
      if (Math.floor(bytes / CHECK_ROOM_BYTES) < Math.floor((bytes + chunk.length) / CHECK_ROOM_BYTES)) {
        checkRoom?.().catch(settle);
      }
      bytes += chunk.length;
      idle.refresh();
      const sendingMs = performance.now() - startedAt - pausedMs;
      if (bytes > maxBytes) settle(tooLarge(maxBytes));
      else if (bytes < (sendingMs - idleMs) * MIN_BYTES_PER_MS) settle(belowRate());
      else if (!sink.write(chunk)) {
        pausedAt = performance.now();
        request.pause();
      }
    }
    function onDrain(): void {
      // The time in which the disk was waited for is not the client's.
      if (pausedAt > 0) pausedMs += performance.now() - pausedAt;
      pausedAt = 0;
      idle.refresh();
      request.resume();
    }
    const onEnd = (): void => settle(null);
    const onClose = (): void => settle(new ClientGone());

    function settle(error: unknown): void {
      clearTimeout(idle);
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      sink.off('drain', onDrain).off('error', settle);
      if (error === null) resolve(bytes);
      else reject(error);
    }

    sink.on('drain', onDrain).on('error', settle);
    request.on('end', onEnd).on('close', onClose).on('data', onData);
  });
}

function tooSlow(idleMs: number): HttpProblem {
  const message = `no bytes arrived for ${idleMs / 1000} seconds; nothing was kept, upload the file again to the same URL`;
  return new HttpProblem(408, 'UPLOAD_IDLE', message, { Connection: 'close' });
}

function belowRate(): HttpProblem {
  const message = `the bytes arrive more slowly than ${MIN_BYTES_PER_MS} kB a second; nothing was kept, upload the file again to the same URL over a faster connection`;
  return new HttpProblem(408, 'UPLOAD_IDLE', message, { Connection: 'close' });
}
