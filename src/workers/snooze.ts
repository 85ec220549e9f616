/** An error that snoozes a job: the job is delayed on the queue, and its attempts are not counted. */

/** Thrown by handlers; startWorkers passes it on to the queue. */
export class Snooze extends Error {
  override readonly name = 'Snooze';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`snoozed for ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}
