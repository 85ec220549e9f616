/** The errors that a queue keeps of its jobs. */
import { DelayedError, UnrecoverableError, WaitingError } from 'bullmq';

/**
 * A job has failed permanently, which is recorded: its queue job ends as failed, so that the dashboard lists it. The text
 * has no more than the id, because a queue holds no data of tenants.
 */
export class JobFailed extends UnrecoverableError {
  constructor(jobId: string) {
    super(
      `job ${jobId} has failed permanently: GET /jobs/${jobId} says why, and POST /jobs/${jobId}/actions/retry repeats it`,
    );
  }
}

/**
 * A queue keeps the messages of errors. Those of the database and of libraries may quote rows, so it gets another one;
 * the log of the worker has the cause.
 */
export function forTheQueue(error: unknown): unknown {
  const isOwn = error instanceof JobFailed || error instanceof DelayedError || error instanceof WaitingError;
  return isOwn
    ? error
    : new Error('the step has failed, and so has recording it: see the log of the worker', { cause: error });
}
