/** Keeps long work from holding up the process: lets other events run every few milliseconds. */
import { setImmediate } from 'node:timers/promises';

const MAX_HOLD_MS = 4;

export class EventLoopPacer {
  #heldSince = performance.now();

  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Call often; gives way when the event loop was held for a few milliseconds. @throws the signal's reason. */
  async pause(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#heldSince < MAX_HOLD_MS) return;
    await setImmediate();
    this.#heldSince = performance.now();
    this.#signal.throwIfAborted();
  }
}
