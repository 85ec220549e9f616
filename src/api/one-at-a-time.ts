/** Works on one request of a connection at a time, in the order in which they came. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests of a connection that wait for the one in progress. HTTP/1.1 lets a client send the next request before it has
 * the answer, and Node parses all that came in one piece of up to 64 KiB, however many they are.
 */
const MOST_WAITING = 32;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A request that comes while one of its connection is in progress begins when that one is answered. Until then nothing
 * more is read from the connection, and one that has sent too many is closed: without this, a client that reads no
 * answers has as many requests in memory as it can send. What waits is dropped when the connection closes.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** What waits on the connections with a request in progress. */
  const waiting = new WeakMap<Socket, Exchange[]>();

  function begin({ request, response }: Exchange): void {
    // After the answer was handed to the system, and when the connection is lost.
    response.once('close', () => beginNext(request.socket));
    listener(request, response);
  }

  function beginNext(socket: Socket): void {
    const next = socket.writable ? waiting.get(socket)?.shift() : undefined;
    if (next === undefined) {
      waiting.delete(socket);
      return;
    }
    if (waiting.get(socket)?.length === 0) socket.resume();
    begin(next);
  }

  return (request, response) => {
    const { socket } = request;
    const others = waiting.get(socket);
    if (others === undefined) {
      waiting.set(socket, []);
      begin({ request, response });
    } else if (others.length < MOST_WAITING) {
      others.push({ request, response });
      socket.pause();
    } else {
      others.length = 0;
      socket.destroy();
    }
  };
}
