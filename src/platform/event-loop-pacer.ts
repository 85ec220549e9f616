/** Keeps long work from blocking the process: it lets other events run every few milliseconds. */
import { setImmediate } from 'node:timers/promises';

const MAX_RUN_MS = 4;

export class EventLoopPacer {
  #runningSince = performance.now();

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Call often; it yields to the event loop once work has run for a few milliseconds. @throws the signal's reason */
  async pause(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#runningSince < MAX_RUN_MS) return;
    await setImmediate();
    this.#runningSince = performance.now();
    this.#signal.throwIfAborted();
  }
}
