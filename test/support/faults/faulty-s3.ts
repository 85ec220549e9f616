/** An HTTP proxy in front of an S3 server, which fails requests in the ways of such servers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `slow-down`: 503, as S3 answers who asks too often; `error`: 500; `full`: 507, as MinIO answers without room; `silence`: no answer; `truncation`: half of the body
 * of the answer, then the connection ends; `corruption`: the first byte of the request's body is another one.
 */
type S3Fault = 'slow-down' | 'error' | 'full' | 'silence' | 'truncation' | 'corruption';

export interface FaultyS3 {
  /** The address of the server by way of the proxy. */
  readonly endpoint: string;
  /** Fails the next requests with the method, as many as given; default: all from now on. */
  fail(method: string, fault: S3Fault, times?: number): void;
  /** Fails every request from now on. */
  failAll(fault: S3Fault): void;
  /** Nothing fails from now on. */
  heal(): void;
  /** How far the clock of the server is ahead of ours. Requests that are off by more than ten minutes are refused. */
  skew(ms: number): void;
  /** How many requests were failed or refused. */
  failed(): number;
  close(): Promise<void>;
}

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
const TOLERANCE_MS = 10 * 60_000;

export async function openFaultyS3(endpoint: string): Promise<FaultyS3> {
  const target = new URL(endpoint);
  const faults = new Map<string, { readonly fault: S3Fault; left: number }>();
  let aheadMs = 0;
  let failed = 0;

  function takeFault(method: string): S3Fault | undefined {
    const planned = faults.get(method);
    if (planned === undefined || planned.left <= 0) return undefined;
    planned.left--;
    failed++;
    return planned.fault;
  }

  function isSkewed(date: string | undefined): boolean {
    const [, day = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(date ?? '') ?? [];
    if (day === '') return false;
    const signedAt = Date.parse(
      `${day.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
    );
    return Math.abs(Date.now() + aheadMs - signedAt) > TOLERANCE_MS;
  }

  function forward(from: IncomingMessage, to: ServerResponse, fault: S3Fault | undefined): void {
    const { hostname: host, port } = target;
    // A connection each: one that the server has given up would be a fault that no test has asked for.
    const upstream = { host, port, method: from.method, path: from.url, headers: from.headers };
    const passed = request({ ...upstream, agent: false }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.once('close', () => {
        if (!answer.complete) to.destroy();
      });
      if (fault !== 'truncation') {
        answer.pipe(to);
        return;
      }
      const half = Math.floor(Number(answer.headers['content-length'] ?? 0) / 2);
      let sent = 0;
      answer.on('data', (chunk: Buffer) => {
        to.write(chunk.subarray(0, half - sent));
        sent = Math.min(half, sent + chunk.length);
        if (sent === half) to.socket?.end();
      });
    });
    passed.on('error', () => {
      // Behind its answers to HEAD, Swift sends bytes that belong to no answer.
      if (!to.headersSent) to.destroy();
    });
    if (fault === 'corruption') {
      from.once('data', (chunk: Buffer) => {
        // The proxy's own chunk: it is changed before it is passed on.
        chunk[0] = (chunk[0] ?? 0) ^ 1;
      });
    }
    // Who is gone before its last byte leaves nothing at the server.
    from.once('close', () => {
      if (!from.complete) passed.destroy();
    });
    from.pipe(passed);
  }

  const server = createServer((from, to) => {
    const fault = takeFault(from.method ?? '');
    if (fault === 'silence') return;
    if (fault === 'slow-down') refuse(to, 503, 'SlowDown', 'Please reduce your request rate.');
    else if (fault === 'full')
      refuse(to, 507, 'XMinioStorageFull', 'Storage backend has reached its minimum free drive threshold.');
    else if (fault === 'error') refuse(to, 500, 'InternalError', 'We encountered an internal error. Please try again.');
    else if (aheadMs !== 0 && isSkewed(String(from.headers['x-amz-date'] ?? ''))) {
      failed++;
      const message = 'The difference between the request time and the current time is too large.';
      refuse(to, 403, 'RequestTimeTooSkewed', message, { date: new Date(Date.now() + aheadMs).toUTCString() });
    } else forward(from, to, fault);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (method, fault, times = Number.POSITIVE_INFINITY) => void faults.set(method, { fault, left: times }),
    failAll: (fault) => {
      for (const method of METHODS) faults.set(method, { fault, left: Number.POSITIVE_INFINITY });
    },
    heal: () => {
      faults.clear();
      aheadMs = 0;
    },
    skew: (ms) => {
      aheadMs = ms;
    },
    failed: () => failed,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(
  to: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  to.writeHead(status, { 'content-type': 'application/xml', connection: 'close', ...headers });
  to.end(body);
}
