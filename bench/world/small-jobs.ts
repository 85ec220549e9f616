/** Requests of ten rows, as clients send them that do not collect. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { bulkBody } from '../data/write-rows.js';

export const INSERT_PATH = '/api-product/v1/product/bulk/insert';
const ROWS_PER_SMALL_JOB = 10;

const LOOK_EVERY_MS = 20;

/** Bodies of different rows each. */
export function smallBodies(count: number): string[] {
  return Array.from({ length: count }, (_, index) => bulkBody(index * ROWS_PER_SMALL_JOB + 1, ROWS_PER_SMALL_JOB));
}

/** Waits until no job is left. @throws when one ended otherwise than COMPLETED */
export async function allJobsEnd(db: pg.Client): Promise<void> {
  const pending = async () => (await db.query('SELECT FROM job WHERE completed_at IS NULL LIMIT 1')).rowCount === 1;
  while (await pending()) await delay(LOOK_EVERY_MS);
  const { rows } = await db.query<{ id: string; status: string }>(
    "SELECT id, status FROM job WHERE status <> 'COMPLETED' LIMIT 1",
  );
  if (rows[0] !== undefined) throw new Error(`job ${rows[0].id} is ${rows[0].status}: the figures mean nothing`);
}

/** Nothing of an earlier run is left to pay for. */
export async function emptyCatalogAndJobs(db: pg.Client): Promise<void> {
  await db.query('TRUNCATE item, item_unique_value, job, job_chunk, job_error, file CASCADE');
  await db.query('CHECKPOINT');
}
