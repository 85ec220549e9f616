/** Lets the jobs of a site continue that wait because another one has failed. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { endPause } from './order/site-order.js';
import { releaseDue } from './release-jobs.js';

/**
 * Lets the jobs continue that wait because this job has failed.
 * @returns what to enqueue
 * @throws DomainError conflict when no job waits for that
 */
export async function resumeAfter(
  db: Db,
  siteId: number,
  jobId: string,
  record: (trx: Knex.Transaction) => Promise<void> = async () => undefined,
): Promise<OutboxEntry[]> {
  const ended = await db.transaction(async (trx) => {
    const paused = await endPause(trx, siteId, jobId);
    if (paused) await record(trx);
    return paused;
  });
  if (ended) return releaseDue(db, [siteId]);
  const message = `the jobs of this account and stage do not wait for job ${jobId}: only a FAILED job makes them wait, where the account chose that, and only once`;
  throw new DomainError('conflict', 'JOB_NOT_PAUSING', message);
}
