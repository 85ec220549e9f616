/** `Expect: 100-continue`: the client sends a large body only after we have accepted its headers. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/** Keeps Node from answering `100 Continue` before the request was checked. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Answers `100 Continue` if the client waits for it. Call this before the first byte of a body is read. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}
