/** Works on one request of a connection at a time, in the order in which they came, and reads no further meanwhile. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What Node's parser gets at once. HTTP/1.1 lets a client send requests without waiting for answers, and Node parses all
 * that came in a piece of 64 KiB: some 650 requests of a hundred bytes, each with two objects of kilobytes.
 */
const HEAD_BYTES = 1_024;
/** The same for bodies whose end only the parser sees. */
const CHUNKED_BODY_BYTES = 16_384;
/** Requests in one such part; only the shortest that are possible are more. */
const MOST_WAITING = 64;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A request that comes while one of its connection is in progress begins when that one is answered. Until then nothing
 * more is read from the connection or parsed, so that a client that reads no answers has no more than 64 KiB and a few
 * requests in memory. What waits is dropped when the connection closes.
 */
export function oneAtATime(server: Server): void {
  const connections = new WeakMap<Socket, Connection>();
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const begin = ({ request, response }: Exchange) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  // After Node's own listener, which has the parser read the socket.
  server.on('connection', (socket: Socket) => connections.set(socket, new Connection(socket, begin)));
  server.on('request', (request, response) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) begin({ request, response });
    else connection.add({ request, response });
  });
}

type DataListener = (data: Buffer) => void;

class Connection {
  readonly #socket: Socket;
  readonly #begin: (exchange: Exchange) => void;
  readonly #parsers: DataListener[];
  readonly #waiting: Exchange[] = [];
  #inProgress: Exchange | undefined;
  /** Bytes of the body of the request in progress that are still to come, or a part more. */
  #bodyLeft = 0;
  /** What was read and not parsed. */
  #unparsed: Buffer[] = [];
  #isParsing = false;
  #isPaused = false;

  constructor(socket: Socket, begin: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#begin = begin;
    this.#parsers = socket.listeners('data') as DataListener[];
    for (const parser of this.#parsers) socket.off('data', parser);
    socket.on('data', (data: Buffer) => {
      this.#unparsed.push(data);
      this.#parse();
    });
    socket.once('close', () => {
      this.#unparsed = [];
      this.#waiting.length = 0;
    });
  }

  add(exchange: Exchange): void {
    if (this.#inProgress === undefined) this.#start(exchange);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(exchange);
    else this.#socket.destroy();
  }

  #start(exchange: Exchange): void {
    const { request, response } = exchange;
    this.#inProgress = exchange;
    this.#bodyLeft = Number(request.headers['content-length'] ?? CHUNKED_BODY_BYTES);
    // When the answer was handed to the system, or the connection is lost.
    response.once('close', () => this.#next());
    this.#begin(exchange);
  }

  #next(): void {
    this.#inProgress = undefined;
    if (!this.#socket.writable) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#start(next);
    this.#parse();
  }

  /** Parses what was read until a request has to wait. */
  #parse(): void {
    if (this.#isParsing) return;
    this.#isParsing = true;
    for (let part = this.#nextPart(); part !== undefined; part = this.#nextPart()) {
      for (const parser of this.#parsers) parser.call(this.#socket, part);
    }
    this.#isParsing = false;
    const mustPause = this.#unparsed.length > 0 || this.#waiting.length > 0;
    if (mustPause) this.#socket.pause();
    else if (this.#isPaused) this.#socket.resume();
    this.#isPaused = mustPause;
  }

  /** Removes it from what was read. */
  #nextPart(): Buffer | undefined {
    const [data] = this.#unparsed;
    if (data === undefined || this.#socket.destroyed) return undefined;
    const length = Math.min(data.length, this.#mostBytes());
    if (length === 0) return undefined;
    this.#bodyLeft -= length;
    if (length === data.length) this.#unparsed.shift();
    else this.#unparsed[0] = data.subarray(length);
    return data.subarray(0, length);
  }

  #mostBytes(): number {
    if (this.#inProgress === undefined) return HEAD_BYTES;
    const { request } = this.#inProgress;
    if (request.complete || this.#waiting.length > 0) return 0;
    if (request.headers['content-length'] === undefined) return CHUNKED_BODY_BYTES;
    return Math.max(HEAD_BYTES, this.#bodyLeft);
  }
}
