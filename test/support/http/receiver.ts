/** Receivers of webhooks: servers that answer well, badly or not at all, and remember what they were sent. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** What a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Connections so far, whether or not they brought a request. */
  connections(): number;
  stop(): Promise<void>;
}

/** Answers a request that was read to its end. */
export type Answer = (response: ServerResponse, request: Received, count: number) => void;

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** @param host default 127.0.0.1; `::` is every address of this machine */
export function startReceiver(answer: Answer = answerWith(204), host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = receivedOf(request, Buffer.concat(chunks));
      received.push(one);
      answer(response, one, received.length);
    });
  };
  return listen(createServer({ keepAliveTimeout: 60_000 }, listener), host, received);
}

/** Speaks no HTTP of its own accord: `talk` gets each connection. */
export function startTcpReceiver(talk: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(talk), '127.0.0.1', []);
}

async function listen(server: Server, host: string, received: Received[]): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function receivedOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): Received {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return { method, path: url, headers: Object.fromEntries(texts), body: body.toString('utf8') };
}
