/** Waits for jobs, but never longer than an assistant would. */
import type { Job } from '@longshore/client';
import { AWAITING_APPROVAL } from './approval.js';
import type { Call } from './tool.js';

/** Clients of the protocol give up after a minute. */
export const MOST_SECONDS = 25;
const POLL_SECONDS = 1;

/** The job when it waits for approval or has ended, or as it is after some time. @throws LongshoreError */
export async function settledJob({ api, signal, progress }: Call, id: string): Promise<Job> {
  const until = performance.now() + MOST_SECONDS * 1000;
  for (;;) {
    const job = await api.getJob({ id }, { signal, wait: POLL_SECONDS });
    if (job.completedAt !== null || job.status === AWAITING_APPROVAL || performance.now() > until) return job;
    progress(job.progressTracker.processedCount, job.progressTracker.totalCount ?? 0);
  }
}
