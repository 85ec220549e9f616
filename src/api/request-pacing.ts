/**
 * Begins connections and requests a few at a time, and ends connections so. When many clients connect, send requests or
 * hang up at the same moment, Node would handle all of that before any other event has its turn, and requests that are in
 * progress would wait. The clients' addresses take turns.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SharedLimit } from '../platform/concurrency/semaphore.js';

interface Pace {
  /** What begins in one turn of the event loop while all clients have one address. */
  readonly alone: number;
  /** The same while there are several addresses. */
  readonly contended: number;
  /** Whether turns follow each other as `SLOW_TURN` says while there are several addresses. */
  readonly slow: boolean;
}

/** Each takes about half a millisecond until it waits for the database. */
const REQUESTS: Pace = { alone: 4, contended: 1, slow: false };
/**
 * Each takes about a tenth of a millisecond, and has sent a request that takes several times as long soon afterwards:
 * thousands of connections occupied the process for half a second, however few began in each turn of the event loop.
 */
const CONNECTIONS: Pace = { alone: 8, contended: 8, slow: true };
/** Each takes more than a tenth of a millisecond if a request was in progress, which fails. */
const ENDS: Pace = { alone: 8, contended: 8, slow: true };

/**
 * A slow turn begins one for each address, so that an address with thousands has at most half of the process, and many
 * addresses do not wait for each other.
 */
const SLOW_TURN = {
  /** How long after the one before. */
  afterMs: 1,
  /** Until then it waits while the process is busy. */
  atMostMs: 8,
  /** The busy part of the time since the turn before. */
  busy: 0.5,
};

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
  const paceEnd = createPacer(ENDS);
  const begin = server.listeners('connection');
  server.removeAllListeners('connection');
  // As the option of net.createServer, which http.createServer does not take: nothing is read from a connection that waits.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    // Unknown once it is closed.
    const address = socket.remoteAddress ?? null;
    socket.on('error', ignore);
    pace(() => {
      socket.off('error', ignore);
      // Another listener has refused it.
      if (socket.destroyed || socket.writableEnded) return;
      const others = new Set(ENDINGS.flatMap((event) => socket.listeners(event)));
      for (const listener of begin) listener.call(server, socket);
      for (const event of ENDINGS) paceListeners(socket, event, others, (end) => paceEnd(end, address));
      socket.resume();
    }, address);
  });
}

/** What a connection emits when it ends, in this order. */
const ENDINGS = ['end', 'close'] as const;

/** Has the listeners for an event, without the given ones, called at their turn. */
function paceListeners(
  socket: Socket,
  event: (typeof ENDINGS)[number],
  without: ReadonlySet<unknown>,
  pace: (call: () => void) => void,
): void {
  for (const listener of socket.listeners(event) as ((...values: unknown[]) => void)[]) {
    if (without.has(listener)) continue;
    socket.off(event, listener);
    socket.on(event, (...values: unknown[]) => pace(() => listener.apply(socket, values)));
  }
}

/** A connection that was lost while it waited is of no interest. */
function ignore(): void {}

/** @returns a function that begins something now or in a later turn of the event loop */
function createPacer(pace: Pace): (begin: () => void, address: string | null) => void {
  const waiting = new Map<string | null, (() => void)[]>();
  const perTurn = new SharedLimit({ ...pace, least: pace.contended });
  let begun = 0;
  let turnIsSet = false;
  let slowTurnBegan: SlowTurn | null = null;

  function setNextTurn(): void {
    if (turnIsSet) return;
    turnIsSet = true;
    if (pace.slow && perTurn.isContended()) {
      slowTurnBegan ??= { at: performance.now(), utilization: performance.eventLoopUtilization() };
      setTimeout(beginSlowTurn, SLOW_TURN.afterMs);
    } else setImmediate(beginTurn);
  }

  function beginTurn(): void {
    turnIsSet = false;
    begun = 0;
    const most = perTurn.current();
    while (begun < most && waiting.size > 0) beginNext();
  }

  function beginSlowTurn(): void {
    turnIsSet = false;
    if (slowTurnBegan !== null && isBusySince(slowTurnBegan)) {
      setNextTurn();
      return;
    }
    slowTurnBegan = null;
    begun = 0;
    const most = Math.min(perTurn.current(), waiting.size);
    while (begun < most) beginNext();
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
    perTurn.notice(address ?? '');
    setNextTurn();
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

/** When a slow turn began, and what the event loop had been occupied with until then. */
interface SlowTurn {
  readonly at: number;
  readonly utilization: ReturnType<typeof performance.eventLoopUtilization>;
}

function isBusySince({ at, utilization }: SlowTurn): boolean {
  if (performance.now() - at >= SLOW_TURN.atMostMs) return false;
  return performance.eventLoopUtilization(utilization).utilization > SLOW_TURN.busy;
}
