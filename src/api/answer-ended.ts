/** The answer to a client that waited for a job. */
import { findJob } from '../domain/jobs/read-job.js';
import type { ApiResponse } from './define-route.js';
import { presentJob } from './presenters/present-job.js';
import type { ApiServices } from './services.js';

/**
 * 200 with the job when it has ended; 202 when it waits for an approval, which may take days.
 * @param present shows the job when it has ended
 */
export async function answerEnded(
  { db }: Pick<ApiServices, 'db'>,
  siteId: number,
  jobId: string,
  present: (job: Parameters<typeof presentJob>[0]) => object = presentJob,
): Promise<ApiResponse> {
  const job = await findJob(db, siteId, jobId);
  if (job.completed_at !== null) return { status: 200, body: present(job) };
  return { status: 202, body: { jobId, status: job.status }, headers: { Location: `/jobs/${jobId}` } };
}
