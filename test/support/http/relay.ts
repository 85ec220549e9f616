/** A relay in front of a system. It holds one request back at a chosen moment, at which a client can be ended. */
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The request that is held back. */
export interface Hold {
  readonly method: string;
  /** The beginning of its path. */
  readonly path: string;
  /** `before`: nothing of it arrives; `midway`: a part of its body does; `after`: all does, and there is no answer. */
  readonly at: 'before' | 'midway' | 'after';
}

export interface Relay {
  readonly url: string;
  /** Until the request is held back. */
  readonly held: Promise<void>;
  /** Holds no more requests. */
  release(): void;
  /** Cuts the connections of clients. */
  cut(): void;
  stop(): Promise<void>;
}

/** The addresses in answers are those of the relay, so that uploads and downloads go through it, too. */
export async function startRelay(target: string, hold?: Hold): Promise<Relay> {
  let holds = hold !== undefined;
  let noticed: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    noticed = resolve;
  });
  let url = '';

  function relay(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers, socket } = request;
    const isHeld = holds && hold?.method === method && path.startsWith(hold.path);
    if (isHeld && hold.at === 'before') return noticed();
    const { host: _, ...passed } = headers;
    const upstream = send(target + path, { method, headers: passed });
    upstream.once('error', () => socket.destroy());
    response.once('close', () => upstream.destroy());
    upstream.once('response', (answer) => {
      if (isHeld) return noticed();
      void answerWith(answer, response);
    });
    if (!isHeld || hold.at === 'after') return void request.pipe(upstream);
    request.once('data', (chunk) => {
      request.pause();
      upstream.write(chunk, noticed);
    });
  }

  async function answerWith(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...headers } = answer.headers;
    const body = await text(answer);
    response.writeHead(answer.statusCode ?? 500, headers).end(body.replaceAll(target, url));
  }

  const server = createServer(relay);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    held,
    release: () => {
      holds = false;
    },
    cut: () => server.closeAllConnections(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
