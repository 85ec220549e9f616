/**
 * Ends a process when the launcher has ended. It is loaded into each process before the process's own program.
 * Descriptor 3 is a pipe that the launcher keeps open; the operating system closes it however the launcher ends.
 */
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const LIFELINE = 3;

if (isMainThread) {
  const line = new Socket({ fd: LIFELINE, readable: true, writable: false });
  // It ends at once, like a crash: a process that finished its work first would block the port for the next start.
  line.once('close', () => process.kill(process.pid, 'SIGKILL'));
  line.on('error', () => undefined);
  line.resume();
  line.unref();
}
