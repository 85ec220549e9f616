/** Waits for the end of a job that takes as long as it takes: the test's own time limit ends the waiting. */
import type { Answer } from './call-api.js';
import type { Shop } from './shop.js';

/** @returns the job as GET /jobs/{id} shows it */
export async function untilEnded(shop: Shop, jobId: string): Promise<Answer['body']> {
  for (;;) {
    const job = await shop.ask('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=25' } });
    if (job.completedAt !== null) return job;
  }
}
