/**
 * Steps that were found without their worker: each may be the reason why it ended. The row of a plan step says so itself,
 * the others are rows of `suspect_step`. What is enqueued says so too, and is executed in a process of its own.
 */
import type { Db } from '../../../db/connection.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { rowOfEntry } from './steps/step-row.js';
import { rowOfSuspect } from './steps/suspicion.js';

/** Records that a step was found without its worker, if its fencing token is current: it stays suspect until it is done. */
export async function suspectStep(db: Db, entry: JobOutboxEntry): Promise<void> {
  const row = rowOfEntry(db, entry);
  if (entry.queue === 'plan') await row.update({ suspect: true });
  else {
    const { job_id: jobId, step, chunk } = rowOfSuspect(entry);
    const found = row.select(db.raw('?::text, ?::text, ?::integer', [jobId, step, chunk]));
    await db.raw('INSERT INTO suspect_step (job_id, step, chunk) ? ON CONFLICT DO NOTHING', [found]);
  }
}
