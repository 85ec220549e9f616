/** HTTP as bytes on a socket, for requests that no well-behaved client would send. */
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Resolves when what has come matches. @throws when the connection ends before */
  received(pattern: RegExp): Promise<string>;
  /** Everything that came until the other side closed. */
  readonly ended: Promise<string>;
}

/** Opens a connection and sends bytes. @param localAddress from which it comes; undefined: the system chooses it */
export function openRaw(url: string, bytes: string | Buffer, localAddress?: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  let text = '';
  const watchers = new Set<() => void>();
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (const watcher of watchers) watcher();
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(text);
      for (const watcher of watchers) watcher();
    });
  });
  socket.write(bytes);
  return {
    socket,
    ended,
    received: (pattern) =>
      new Promise((resolve, reject) => {
        const watcher = (): void => {
          if (pattern.test(text)) resolve(text);
          else if (socket.closed || socket.destroyed) reject(new Error(`closed after: ${text}`));
          else return;
          watchers.delete(watcher);
        };
        watchers.add(watcher);
        watcher();
      }),
  };
}

/** Sends a whole request with `Connection: close` in it and reads the whole answer. */
export async function askRaw(url: string, bytes: string | Buffer): Promise<RawResponse> {
  const text = await openRaw(url, bytes).ended;
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') };
}
