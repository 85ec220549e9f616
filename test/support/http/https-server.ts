/** An https server on loopback with a certificate of our authority, whose answers a test writes, and another one beside it. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KEY, OF_LOOPBACK } from '../faults/certificates.js';

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface HttpsServer {
  /** `https://127.0.0.1:…` */
  readonly origin: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** @param certificate default: one for loopback that our authority has issued */
export async function startHttps(answer: Answer, certificate: string = OF_LOOPBACK): Promise<HttpsServer> {
  const requests: SeenRequest[] = [];
  const server = createServer({ key: KEY, cert: certificate }, (request, response) => {
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    response.on('error', () => undefined);
    answer(request, response);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    port,
    requests,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A file as good servers have it: with HEAD, a tag, ranges and conditions. */
export function fileAnswer(
  content: () => { readonly bytes: Buffer; readonly headers?: Readonly<Record<string, string>> },
): Answer {
  return (request, response) => {
    const { bytes, headers = {} } = content();
    const etag = headers.etag ?? `"${bytes.length}-${bytes[0] ?? 0}"`;
    const { 'if-match': wanted, 'if-none-match': known, range } = request.headers;
    if (wanted !== undefined && wanted !== etag) {
      response.writeHead(412).end();
      return;
    }
    if (known === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const part = bytes.subarray(from);
    const begins = range === undefined ? {} : { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(range === undefined ? 200 : 206, {
      'content-type': 'text/csv',
      'content-length': part.length,
      etag,
      ...begins,
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  };
}
