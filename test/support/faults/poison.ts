/**
 * Preloaded into a worker process (`--import`): the process ends as soon as it sends a SKU to the database that begins
 * with POISON. With POISON_BY=memory it uses up its memory until the engine ends it; with POISON_BY=compute it computes for
 * ever, after it has said so with its pid; with POISON_BY=stand its main thread is blocked for ever, which uses no CPU; with
 * any other value it is killed.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Any item whose SKU begins so. */
export const POISON = 'poison-';

const write: unknown = Socket.prototype.write;

function takePoison(): void {
  if (process.env.POISON_BY === 'compute') {
    writeSync(2, `process ${process.pid} computes\n`);
    for (;;);
  }
  if (process.env.POISON_BY === 'stand') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (process.env.POISON_BY !== 'memory') process.kill(process.pid, 'SIGKILL');
  for (const hoard: object[][] = []; ; ) hoard.push(Array.from({ length: 10_000 }, () => ({ hoard })));
}

if (process.env.POISON_BY !== undefined && typeof write === 'function') {
  Object.defineProperty(Socket.prototype, 'write', {
    writable: true,
    configurable: true,
    value(this: Socket, ...args: unknown[]): unknown {
      const [sent] = args;
      if ((Buffer.isBuffer(sent) || typeof sent === 'string') && sent.includes(POISON)) takePoison();
      return Reflect.apply(write, this, args);
    },
  });
}
