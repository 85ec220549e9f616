/** Streams a request's body into a file: no more than allowed, no faster than the disk, and never in silence for long. */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { tooLarge } from '../../body-bytes.js';
import { ClientGone, HttpProblem } from '../../http-problem.js';

export interface ReceiveLimits {
  readonly maxBytes: number;
  /** Longest silence of the client. */
  readonly idleMs: number;
}

/**
 * Writes the body to `sink` and ends it. On an error the sink is left to be discarded, and the rest of the body unread.
 * @returns how many bytes there were
 * @throws HttpProblem 413 or 408; ClientGone when the body is cut short; what the sink fails with
 */
export async function receiveBytes(request: IncomingMessage, sink: Writable, limits: ReceiveLimits): Promise<number> {
  // Who left before we began to listen will not be heard leaving.
  if (request.destroyed) throw new ClientGone();
  // Our own clock tells the client that it was too slow; the server's would only cut it off, in the commit too.
  // The server sets its own again when the answer is out.
  request.socket.setTimeout(0);
  const bytes = await pump(request, sink, limits);
  sink.end();
  // Not before it is closed: flushing to disk comes with that.
  await finished(sink);
  return bytes;
}

function pump(request: IncomingMessage, sink: Writable, { maxBytes, idleMs }: ReceiveLimits): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const idle = setTimeout(onIdle, idleMs);

    function onIdle(): void {
      // While the disk is behind it is not the client who is silent.
      if (request.isPaused()) idle.refresh();
      else settle(tooSlow(idleMs));
    }
    function onData(chunk: Buffer): void {
      bytes += chunk.length;
      idle.refresh();
      if (bytes > maxBytes) settle(tooLarge(maxBytes));
      else if (!sink.write(chunk)) request.pause();
    }
    function onDrain(): void {
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
  const message = `nothing came for ${idleMs / 1000} seconds; nothing was kept, upload the file again to the same URL`;
  return new HttpProblem(408, 'UPLOAD_IDLE', message, { Connection: 'close' });
}
