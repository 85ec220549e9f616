/**
 * Loaded into each process before its own program: ends it when the launcher is gone.
 * Descriptor 3 is a pipe that the launcher holds open; the system closes it however the launcher ends.
 */
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const LIFELINE = 3;

if (isMainThread) {
  const line = new Socket({ fd: LIFELINE, readable: true, writable: false });
  // At once, as a crash would: a process that drained on without its database and its port would be in the next start's way.
  line.once('close', () => process.kill(process.pid, 'SIGKILL'));
  line.on('error', () => undefined);
  line.resume();
  line.unref();
}
