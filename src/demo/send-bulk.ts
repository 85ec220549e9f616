/** Sends rows in one bulk request and waits for what becomes of them. */
import type { ApiClient } from './api-client.js';
import { waitForJob } from './jobs.js';

/** As long as the API waits at most. A job that takes longer is followed by its id. */
const WAIT_SECONDS = 25;

/**
 * @param idempotencyKey sent again with the same rows, it makes no second job: what to do after a time-out
 * @returns the job's result, in the shape of the operation
 * @throws ApiError, also when every row failed
 */
export async function sendBulk<Result extends object>(
  api: ApiClient,
  path: string,
  rows: readonly unknown[],
  idempotencyKey: string,
): Promise<Result & { jobId: string }> {
  const headers = { Prefer: `wait=${WAIT_SECONDS}`, 'Idempotency-Key': idempotencyKey };
  const { status, body } = await api.post<Result & { jobId: string }>(path, rows, headers);
  if (status !== 202) return body;
  await waitForJob(api, body.jobId, () => undefined);
  return api.get(`/jobs/${body.jobId}/result`, { limit: 1_000 });
}
