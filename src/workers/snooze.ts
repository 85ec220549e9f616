/** Says that a job's turn has not come: it goes back to the queue for a while, and no attempt is spent. */

/** Thrown by handlers; run-worker tells the queue. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`put off for ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}
