/** Returns a job to its queue, at once or later. */
import { DelayedError, type Job, WaitingError } from 'bullmq';

/** Does not wait for work after the abort: it may hang in the database. Its fencing token is refused if it is late. */
export async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new Error(String(signal.reason)));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns a job to the queue. It keeps its fencing token, because the hanging work may have locked the row; no attempt
 * is counted.
 * @throws always: this is how BullMQ learns that the job is neither done nor failed
 */
export async function giveBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token).catch(() => {
    // The lock was lost: another worker has picked up the job, or will when BullMQ finds it stalled.
  });
  throw new WaitingError();
}

/** @throws always, like giveBack */
export async function snooze(job: Job, token: string | undefined, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delayMs, token).catch(() => {
    // The lock was lost, or the queue is unreachable: the job runs again when BullMQ finds it stalled.
  });
  throw new DelayedError();
}
