/** Receivers that a sender must come away from unharmed, by what they do. */
import { answerWith, type Receiver, startReceiver, startTcpReceiver } from '../http/receiver.js';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

/** Accepts, reads, and never says a word. */
export const startHanging = (): Promise<Receiver> => startReceiver(() => undefined);

/** A byte of its head at a time, for ever. */
export function startDripping(everyMs: number): Promise<Receiver> {
  return startTcpReceiver((socket) => {
    const head = 'HTTP/1.1 200 OK\r\nx-padding: ';
    let sent = 0;
    const timer = setInterval(() => socket.write(head[sent++] ?? 'x'), everyMs);
    socket.on('close', () => clearInterval(timer));
  });
}

/** A good head at once, and then a byte of the body at a time, for ever. */
export function startDrippingBody(everyMs: number): Promise<Receiver> {
  return startReceiver((response) => {
    response.writeHead(200);
    response.flushHeaders();
    const timer = setInterval(() => response.write('x'), everyMs);
    response.on('close', () => clearInterval(timer));
  });
}

/** 200, and a hundred megabytes. @param written told how many bytes were taken off its hands */
export function startFlooding(written: (bytes: number) => void): Promise<Receiver> {
  return startReceiver((response) => {
    response.writeHead(200, { 'content-length': String(100 * MEGABYTE.length) });
    let bytes = 0;
    const more = () => {
      while (bytes < 100 * MEGABYTE.length && !response.destroyed) {
        bytes += MEGABYTE.length;
        written(bytes);
        if (!response.write(MEGABYTE)) return;
      }
      response.end();
    };
    response.on('drain', more);
    more();
  });
}

/** Promises a body and ends the connection in the middle of it. */
export const startClosingMidway = (): Promise<Receiver> =>
  startReceiver((response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });

/** Ends the connection as soon as it has the request. */
export const startHangingUp = (): Promise<Receiver> => startReceiver((response) => response.destroy());

/** Speaks something that is no HTTP. */
export const startBabbling = (): Promise<Receiver> =>
  startTcpReceiver((socket) => socket.end('220 mail.example ESMTP\r\n'));

export const startRedirecting = (location: string): Promise<Receiver> => startReceiver(answerWith(302, { location }));
