/** Keeps long work that can be cancelled from blocking the process: it takes turns of the event loop with all other such work. */
import { yieldToEventLoop } from './time-slice.js';

export class EventLoopPacer {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Call often; it yields to the event loop once the slice of the work is over. @throws the signal's reason */
  async pause(): Promise<void> {
    this.#signal.throwIfAborted();
    const turn = yieldToEventLoop();
    if (turn === undefined) return;
    await turn;
    this.#signal.throwIfAborted();
  }
}
