/** Follows jobs, and reads the errors of their rows. */
import type { Job, JobError } from './generated/types.js';
import type { Operations } from './operations.js';
import type { CallOptions } from './transport.js';

export interface WaitOptions extends Pick<CallOptions, 'site' | 'signal'> {
  /** Called with the job as it is, about once a second, and when it has ended. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

/** How long the API holds a request back until the job has ended, in seconds. */
export const LONG_POLL_SECONDS = 20;
/** The same, where progress is shown. */
export const PROGRESS_SECONDS = 1;
const MAX_PAGE = 1_000;

/** Waits until a job has ended, whatever its outcome, or waits for an approval. @throws LongshoreError */
export async function waitForJob(api: Operations, id: string, options: WaitOptions = {}): Promise<Job> {
  const { onProgress, ...call } = options;
  // Without anybody to show progress to, the first request waits already.
  for (let wait = onProgress === undefined ? LONG_POLL_SECONDS : 0; ; wait = wait === 0 ? PROGRESS_SECONDS : wait) {
    const job = await api.getJob({ id }, wait === 0 ? call : { ...call, wait });
    onProgress?.(job);
    if (job.completedAt !== null || job.status === 'AWAITING_APPROVAL') return job;
  }
}

export interface ApproveOptions extends WaitOptions {
  /** Why; it is kept with the job. */
  readonly note?: string | undefined;
}

/** Approves a job that waits for it, and waits for its end. @throws LongshoreError */
export async function approve(api: Operations, id: string, { note, ...options }: ApproveOptions = {}): Promise<Job> {
  const { onProgress: _, ...call } = options;
  await api.approveJob({ id, body: note === undefined ? {} : { note } }, call);
  return waitForJob(api, id, options);
}

export interface RevertOptions extends WaitOptions {
  /** Only says what it would take back, in the changes of the new job. */
  readonly validateOnly?: boolean | undefined;
  /** Waits for an approval after it has shown what it would take back. */
  readonly requireApproval?: boolean | undefined;
}

/** Takes back what jobs have changed, and waits until the job that does has ended, or waits for an approval. @throws LongshoreError */
export async function revert(
  api: Operations,
  jobIds: string | readonly string[],
  { validateOnly = false, requireApproval = false, ...options }: RevertOptions = {},
): Promise<Job> {
  const { onProgress: _, ...call } = options;
  const ids = typeof jobIds === 'string' ? [jobIds] : [...jobIds];
  const begun = await api.revertJobs({ body: { jobIds: ids, validateOnly, requireApproval } }, call);
  return waitForJob(api, 'jobId' in begun ? begun.jobId : begun.id, options);
}

/** All errors of a job's rows, by row; pages are fetched as they are needed. @throws LongshoreError */
export async function* jobErrors(
  api: Operations,
  id: string,
  options: Pick<CallOptions, 'site' | 'signal'> = {},
): AsyncGenerator<JobError, void, undefined> {
  for (let after: string | undefined; ; ) {
    const page = await api.listJobErrors({ id, limit: MAX_PAGE, ...(after === undefined ? {} : { after }) }, options);
    yield* page.data;
    if (page.next === undefined) return;
    after = page.next;
  }
}
