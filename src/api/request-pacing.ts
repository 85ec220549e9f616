/**
 * Begins connections and requests a few at a time, and ends connections so. When many clients connect, send requests or
 * hang up at the same moment, Node would handle all of that before any other event has its turn, and requests that are in
 * progress would wait. The clients' addresses take turns.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FailureBackoff } from '../platform/concurrency/recently-used.js';
import { Contention, SharedLimit } from '../platform/concurrency/semaphore.js';
import type { ClientAddresses } from './client-address.js';

interface Pace {
  /** What begins in one turn of the event loop while all clients have one address. */
  readonly alone: number;
  /** The same while there are several addresses, and in a slow turn, where each address begins one at most. */
  readonly contended: number;
  /** While there are several addresses: a slow turn is a millisecond after the one before. Default: there are none. */
  readonly slow?: {
    /** Until so many ms after the one before it waits while the process is busy. */
    readonly atMostMs: number;
  };
}

/** Each takes about half a millisecond until it waits for the database. */
const REQUESTS: Pace = { alone: 4, contended: 1 };
/** Those of an address whose requests were refused one after another: what they take, the others do not have. */
const AFTER_REFUSALS: Pace = { alone: 4, contended: 8, slow: { atMostMs: 4 } };
/** Refusals that cost a client nothing, and how long it then is slower after each, up to a limit. */
const REFUSALS = { free: 8, firstMs: 1_000, longestMs: 10_000 };
/** Without a valid token, or more often than allowed. */
const REFUSED: ReadonlySet<number> = new Set([401, 429]);
/**
 * Each takes about a tenth of a millisecond, and has sent requests that take several times as long soon afterwards:
 * thousands of connections occupied the process for a second, however few began in each turn of the event loop. In slow
 * turns, they have about half of it.
 */
const CONNECTIONS: Pace = { alone: 8, contended: 8, slow: { atMostMs: 4 } };
/** Each takes more than a tenth of a millisecond if a request was in progress, which fails. */
const ENDS: Pace = { alone: 8, contended: 8, slow: { atMostMs: 4 } };
/** Behind a proxy all clients seem to have one address, which slow turns would limit for all of them. */
const OF_ANYBODY: Pace = { alone: 8, contended: 2 };

const SLOW_TURN_MS = 1;
/** The busy part of the time since the slow turn before, above which the next one waits. */
const BUSY = 0.5;

interface Pacing {
  ofRequests(listener: RequestListener): RequestListener;
  /** To be called before other listeners for connections are added: these are called at once. */
  ofConnections(server: Server): void;
}

export function createPacing(addresses: Pick<ClientAddresses, 'of' | 'ofConnection'>): Pacing {
  // A client that keeps its connections is noticed by its requests.
  const contention = new Contention();
  return {
    ofRequests: (listener) => {
      const pace = createPacer(REQUESTS, contention);
      const paceAfterRefusals = createPacer(AFTER_REFUSALS, contention);
      const refusals = new FailureBackoff(REFUSALS);
      return (request: IncomingMessage, response: ServerResponse) => {
        const address = addresses.of(request);
        const begin = () => listener(request, response);
        if (address === null) return pace(begin, address);
        response.once('finish', () => {
          if (REFUSED.has(response.statusCode)) refusals.failed(address);
          else refusals.succeeded(address);
        });
        (refusals.waitMs(address) > 0 ? paceAfterRefusals : pace)(begin, address);
      };
    },
    ofConnections: (server) => {
      const begins = { known: createPacer(CONNECTIONS, contention), unknown: createPacer(OF_ANYBODY, contention) };
      const ends = { known: createPacer(ENDS, contention), unknown: createPacer(OF_ANYBODY, contention) };
      paceConnections(server, (socket) => {
        const address = addresses.ofConnection(socket);
        const kind = address === null ? 'unknown' : 'known';
        return { begin: (begin) => begins[kind](begin, address), end: (end) => ends[kind](end, address) };
      });
    },
  };
}

/** Calls what it is given now or in a later turn. */
type Pacer = (call: () => void) => void;

function paceConnections(server: Server, pacersOf: (socket: Socket) => { begin: Pacer; end: Pacer }): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  // As the option of net.createServer, which http.createServer does not take: nothing is read from a connection that waits.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    const { begin, end } = pacersOf(socket);
    socket.on('error', ignore);
    begin(() => {
      socket.off('error', ignore);
      // Another listener has refused it.
      if (socket.destroyed || socket.writableEnded) return;
      const others = new Set(ENDINGS.flatMap((event) => socket.listeners(event)));
      for (const listener of listeners) listener.call(server, socket);
      for (const event of ENDINGS) paceListeners(socket, event, others, end);
      socket.resume();
    });
  });
}

/** What a connection emits when it ends, in this order. */
const ENDINGS = ['end', 'close'] as const;

/** Has the listeners for an event, without the given ones, called at their turn. */
function paceListeners(
  socket: Socket,
  event: (typeof ENDINGS)[number],
  without: ReadonlySet<unknown>,
  pace: Pacer,
): void {
  for (const listener of socket.listeners(event) as ((...values: unknown[]) => void)[]) {
    if (without.has(listener)) continue;
    socket.off(event, listener);
    socket.on(event, (...values: unknown[]) => pace(() => listener.apply(socket, values)));
  }
}

/** A connection that was lost while it waited is of no interest. */
function ignore(): void {}

/** @returns a function that begins something now or in a later turn, of the event loop or a slow one */
function createPacer(pace: Pace, contention: Contention): (begin: () => void, address: string | null) => void {
  const { slow } = pace;
  const waiting = new Map<string | null, (() => void)[]>();
  const perTurn = new SharedLimit({ ...pace, least: pace.contended, contention });
  let begun = 0;
  let turnIsSet = false;
  /** When the last slow turn was, and what had occupied the event loop until then. */
  let since: { readonly at: number; readonly utilization: EventLoopUtilization } | undefined;

  function setNextTurn(): void {
    if (turnIsSet) return;
    turnIsSet = true;
    if (slow === undefined || !contention.isContended()) {
      setImmediate(beginTurn);
      return;
    }
    since ??= { at: performance.now(), utilization: performance.eventLoopUtilization() };
    setTimeout(beginSlowTurn, SLOW_TURN_MS, slow.atMostMs);
  }

  function beginTurn(): void {
    turnIsSet = false;
    begun = 0;
    const most = perTurn.current();
    while (begun < most && waiting.size > 0) beginNext();
  }

  function beginSlowTurn(atMostMs: number): void {
    turnIsSet = false;
    if (since !== undefined && performance.now() - since.at < atMostMs) {
      const { utilization } = performance.eventLoopUtilization(since.utilization);
      if (utilization > BUSY) return setNextTurn();
    }
    since = undefined;
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
    contention.notice(address ?? '');
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

type EventLoopUtilization = ReturnType<typeof performance.eventLoopUtilization>;
