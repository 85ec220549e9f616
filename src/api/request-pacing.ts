/**
 * Begins connections and requests a few at a time. When many clients connect or send requests at the same moment, Node
 * would begin all of that before any other event has its turn, and requests that are in progress would wait. The clients'
 * addresses take turns.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SharedLimit } from '../platform/concurrency/semaphore.js';

interface Pace {
  /** What begins in one turn of the event loop while all clients have one address. */
  readonly alone: number;
  /** The same while there are several addresses. */
  readonly contended: number;
}

/** Each takes about half a millisecond until it waits for the database. */
const REQUESTS: Pace = { alone: 4, contended: 1 };
/** Each takes about a tenth of a millisecond, and has sent a request that is parsed soon afterwards. */
const CONNECTIONS: Pace = { alone: 8, contended: 2 };

/** @param addressOf null: the address is not known */
export function paceRequests(
  listener: RequestListener,
  addressOf: (request: IncomingMessage) => string | null,
): RequestListener {
  const pace = createPacer(REQUESTS);
  return (request: IncomingMessage, response: ServerResponse) =>
    pace(() => listener(request, response), addressOf(request));
}

/** To be called before other listeners for connections are added: these are called at once. */
export function paceConnections(server: Server): void {
  const pace = createPacer(CONNECTIONS);
  const begin = server.listeners('connection');
  server.removeAllListeners('connection');
  // As the option of net.createServer, which http.createServer does not take: nothing is read from a connection that waits.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    socket.on('error', ignore);
    pace(() => {
      socket.off('error', ignore);
      // Another listener has refused it.
      if (socket.destroyed || socket.writableEnded) return;
      for (const listener of begin) listener.call(server, socket);
      socket.resume();
    }, socket.remoteAddress ?? null);
  });
}

/** A connection that was lost while it waited is of no interest. */
function ignore(): void {}

/** @returns a function that begins something now or in a later turn of the event loop */
function createPacer(pace: Pace): (begin: () => void, address: string | null) => void {
  const waiting = new Map<string | null, (() => void)[]>();
  const perTurn = new SharedLimit({ ...pace, least: pace.contended });
  let begun = 0;
  let turnIsSet = false;

  function setNextTurn(): void {
    if (turnIsSet) return;
    turnIsSet = true;
    setImmediate(() => {
      turnIsSet = false;
      begun = 0;
      if (waiting.size === 0) return;
      const most = perTurn.current();
      while (begun < most && waiting.size > 0) beginNext();
    });
  }

  function beginNext(): void {
    const [entry] = waiting;
    if (entry === undefined) return;
    const [address, queue] = entry;
    // The address goes behind the others.
    waiting.delete(address);
    const begin = queue.shift();
    if (queue.length > 0) waiting.set(address, queue);
    begun++;
    setNextTurn();
    begin?.();
  }

  return (begin, address) => {
    setNextTurn();
    perTurn.notice(address ?? '');
    if (waiting.size === 0 && begun < perTurn.current()) {
      begun++;
      begin();
      return;
    }
    const queue = waiting.get(address);
    if (queue === undefined) waiting.set(address, [begin]);
    else queue.push(begin);
  };
}
