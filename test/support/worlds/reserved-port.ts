/** Ports for programs that have to be told theirs, such as a Redis that is started again: nobody else is given them. */
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
/** Below those that systems give to whoever asks for any port, and to connections: Linux begins at 32,768. */
const FIRST = 12_000;
const LAST = 31_999;

/** Held as long as this process lives. */
const held: Socket[] = [];
let next = FIRST + ((process.pid * 97) % (LAST - FIRST));

/**
 * A port of loopback on which a program may listen, and listen again when it was ended. It is reserved by a UDP socket of
 * the same number, which the operating system closes with this process: each process of a test run skips those of others.
 * Programs that can listen on port 0 and say which port they got do that instead.
 */
export async function reservePort(): Promise<number> {
  for (let tried = FIRST; tried <= LAST; tried++) {
    const port = next;
    next = next === LAST ? FIRST : next + 1;
    const socket = await hold(port);
    if (socket === null) continue;
    if (await isFree(port)) {
      held.push(socket);
      return port;
    }
    socket.close();
  }
  throw new Error(`each port from ${FIRST} to ${LAST} is in use`);
}

/** A port on which no program listens: only root may, and none of ours does. */
export const NOBODY_LISTENS = 1;

function hold(port: number): Promise<Socket | null> {
  const socket = createSocket({ type: 'udp4', reuseAddr: false });
  return new Promise((resolve) => {
    socket.once('error', () => resolve(null));
    socket.bind({ address: LOOPBACK, port, exclusive: true }, () => resolve(socket.unref()));
  });
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
