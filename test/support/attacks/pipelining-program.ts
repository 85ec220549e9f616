/**
 * A client of its own process that sends requests on many connections without waiting for answers, and reads none. It
 * connects again when a connection is closed. Arguments: URL, token or nothing, connections, milliseconds.
 */
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

/** Attackers have machines of their own: here, they get what the system and its other clients leave of this one. */
const LOWEST_PRIORITY = 19;
/** On Linux, all addresses of 127.0.0.0/8 are those of this machine. */
const OTHER_ADDRESS = process.platform === 'linux' ? '127.0.0.2' : undefined;
const RECONNECT_MS = 20;
const PER_WRITE = 1_000;

const [, , url = '', token = '', connections = '100', forMs = '8000'] = process.argv;
const { hostname, port } = new URL(url);
const authorization = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;
const request = `GET /api-product/v1/product?limit=1 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`;
const requests = Buffer.from(request.repeat(PER_WRITE));
const sockets = new Set<Socket>();
let isOver = false;

function open(): void {
  if (isOver) return;
  const socket = connect({ host: hostname, port: Number(port), localAddress: OTHER_ADDRESS });
  sockets.add(socket);
  const send = () => {
    if (!isOver && socket.writable) socket.write(requests, send);
  };
  // Nothing is read: there is no listener for data.
  socket.once('connect', send);
  socket.on('error', () => undefined);
  socket.once('close', () => {
    sockets.delete(socket);
    setTimeout(open, RECONNECT_MS);
  });
}

setPriority(LOWEST_PRIORITY);
for (let number = 0; number < Number(connections); number++) open();
setTimeout(() => {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  process.exit(0);
}, Number(forMs));
