/**
 * Begins connections and requests a few at a time, and ends connections so. When many clients connect, send requests or
 * hang up at the same moment, Node would handle all of that before any other event has its turn, and requests that are in
 * progress would wait. The clients' addresses take turns. Without it, events of another tenant took 1,206 ms instead of 88
 * beside 4,200 requests that arrive at once, and 1,749 instead of 101 beside 2,000 clients that wait for a job.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Contention } from '../../platform/limits/contention.js';
import { Lanes } from '../../platform/limits/lanes.js';
import type { ClientAddresses } from '../client-address.js';

interface Pace {
  /** What begins in one turn of the event loop while all clients have one address. */
  readonly alone: number;
  /** The same while there are several addresses, and in a slow turn, where each address begins one at most. */
  readonly contended: number;
  /** Whether turns are slow while there are several addresses. */
  readonly isSlow?: boolean;
}

/** Each takes about half a millisecond until it waits for the database. */
const REQUESTS: Pace = { alone: 4, contended: 1 };
/**
 * Each takes about a tenth of a millisecond, and has sent requests that take several times as long soon afterwards:
 * thousands of connections occupied the process for a second, however few began in each turn of the event loop. In slow
 * turns, they have about half of it: 56 ms for an event instead of 627. It is the same for ends of connections whose
 * requests then fail: when 2,000 clients hung up, reads of another tenant took 1,431 ms instead of 432 without it.
 */
const CONNECTIONS: Pace = { alone: 8, contended: 8, isSlow: true };
/** Beyond so many of an address that wait, further connections end at once: those that wait keep their memory. */
const MOST_ENDS = 4_096;
/** Behind a proxy all clients seem to have one address, which slow turns would limit for all of them. */
const OF_ANYBODY: Pace = { alone: 8, contended: 2 };

/** A slow turn is so long after the one before, and at most so long while the process is busy. */
const SLOW_TURN_MS = 1;
const SLOWEST_TURN_MS = 4;
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
  /** Connections with a request that has no answer yet. */
  const inProgress = new WeakSet<Socket>();
  return {
    ofRequests: (listener) => {
      const requests = new Pacer(REQUESTS, contention);
      return (request: IncomingMessage, response: ServerResponse) => {
        const { socket } = request;
        inProgress.add(socket);
        response.once('finish', () => inProgress.delete(socket));
        const forget = requests.pace(() => {
          if (!socket.destroyed) listener(request, response);
        }, addresses.of(request));
        // Nobody waits for the answer of a request whose connection was lost meanwhile.
        if (forget !== null) response.once('close', forget);
      };
    },
    ofConnections: (server) => {
      const ofKnown = { begins: new Pacer(CONNECTIONS, contention), ends: new Pacer(CONNECTIONS, contention) };
      const ofAnybody = { begins: new Pacer(OF_ANYBODY, contention), ends: new Pacer(OF_ANYBODY, contention) };
      paceConnections(server, (socket) => {
        const address = addresses.ofConnection(socket);
        const { begins, ends } = address === null ? ofAnybody : ofKnown;
        // Once and for all: what follows its end must not overtake it.
        let endsAtOnce: boolean | undefined;
        return {
          begin: (begin) => begins.pace(begin, address),
          end: (end) => {
            endsAtOnce ??= !inProgress.has(socket) || ends.waitingOf(address) >= MOST_ENDS;
            if (!endsAtOnce) return ends.pace(end, address);
            end();
            return null;
          },
        };
      });
    },
  };
}

/** Calls what it is given now or in a later turn. @returns makes that turn another's; null: it was called */
type InTurn = (call: () => void) => (() => void) | null;

function paceConnections(server: Server, pacesOf: (socket: Socket) => { begin: InTurn; end: InTurn }): void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  // As the option of net.createServer, which http.createServer does not take: nothing is read from a connection that waits.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    const { begin, end } = pacesOf(socket);
    socket.on('error', ignore);
    const forget = begin(() => {
      socket.off('error', ignore);
      // Another listener has refused it.
      if (socket.destroyed || socket.writableEnded) return;
      const others = new Set(ENDINGS.flatMap((event) => socket.listeners(event)));
      for (const listener of listeners) listener.call(server, socket);
      for (const event of ENDINGS) paceListeners(socket, event, others, end);
      socket.resume();
    });
    if (forget !== null) socket.once('close', forget);
  });
}

/** What a connection emits when it ends, in this order. */
const ENDINGS = ['end', 'close'] as const;

/** Has the listeners for an event, without the given ones, called at their turn. */
function paceListeners(
  socket: Socket,
  event: (typeof ENDINGS)[number],
  without: ReadonlySet<unknown>,
  pace: InTurn,
): void {
  for (const listener of socket.listeners(event) as ((...values: unknown[]) => void)[]) {
    if (without.has(listener)) continue;
    socket.off(event, listener);
    socket.on(event, (...values: unknown[]) => pace(() => listener.apply(socket, values)));
  }
}

/** A connection that was lost while it waited is of no interest. */
function ignore(): void {}

/** Begins things now or in a later turn, of the event loop or a slow one. */
class Pacer {
  readonly #pace: Pace;
  readonly #contention: Contention;
  readonly #waiting = new Lanes<() => void>();
  #begun = 0;
  #turnIsSet = false;
  /** When the last slow turn was, and what had occupied the event loop until then. */
  #since: { readonly at: number; readonly utilization: EventLoopUtilization } | undefined;

  constructor(pace: Pace, contention: Contention) {
    this.#pace = pace;
    this.#contention = contention;
  }

  /** In the order of the calls of an address. @returns takes it out of what waits; null: it has begun */
  pace(begin: () => void, address: string | null): (() => void) | null {
    if (address !== null) this.#contention.notice(address);
    this.#setNextTurn();
    if (this.#waiting.size === 0 && this.#begun < this.#perTurn()) {
      this.#begun++;
      begin();
      return null;
    }
    return this.#waiting.add(address ?? '', begin);
  }

  waitingOf(address: string | null): number {
    return this.#waiting.waitingIn(address ?? '');
  }

  #perTurn(): number {
    return this.#contention.isContended() ? this.#pace.contended : this.#pace.alone;
  }

  #setNextTurn(): void {
    if (this.#turnIsSet) return;
    this.#turnIsSet = true;
    if (this.#pace.isSlow !== true || !this.#contention.isContended()) {
      setImmediate(() => this.#beginTurn(this.#perTurn()));
      return;
    }
    this.#since ??= { at: performance.now(), utilization: performance.eventLoopUtilization() };
    setTimeout(() => this.#beginSlowTurn(), SLOW_TURN_MS);
  }

  #beginSlowTurn(): void {
    const since = this.#since;
    if (since !== undefined && performance.now() - since.at < SLOWEST_TURN_MS) {
      const { utilization } = performance.eventLoopUtilization(since.utilization);
      if (utilization > BUSY) {
        this.#turnIsSet = false;
        this.#setNextTurn();
        return;
      }
    }
    this.#since = undefined;
    this.#beginTurn(Math.min(this.#perTurn(), this.#waiting.lanes));
  }

  #beginTurn(most: number): void {
    this.#turnIsSet = false;
    this.#begun = 0;
    while (this.#begun < most && this.#waiting.size > 0) {
      this.#begun++;
      this.#setNextTurn();
      this.#waiting.next()?.();
    }
  }
}

type EventLoopUtilization = ReturnType<typeof performance.eventLoopUtilization>;
