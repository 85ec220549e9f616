/**
 * Ends this process when the worker has ended that started it, even while its main thread computes: it runs as a thread of
 * its own. The descriptor is a pipe that the worker keeps open; the operating system closes it however the worker ends.
 */
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';

const line = new Socket({ fd: workerData, readable: true, writable: false });
line.once('close', () => process.kill(process.pid, 'SIGKILL'));
line.on('error', () => undefined);
line.resume();
