/** Steps that were found without their worker: each may be the reason why it ended. */
import type { Db } from '../../../db/connection.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { rowOfEntry } from './job-steps.js';

/** Records that a step was found without its worker, if its fencing token is current: it stays suspect until it is done. */
export async function suspectStep(db: Db, entry: JobOutboxEntry): Promise<void> {
  const row = rowOfEntry(db, entry);
  if (entry.queue === 'plan') await row.update({ suspect: true });
  else {
    const found = row.select(
      db.raw('?::text, ?::text, ?::integer', [entry.payload.jobId, entry.queue, chunkOf(entry)]),
    );
    await db.raw('INSERT INTO suspect_step (job_id, step, chunk) ? ON CONFLICT DO NOTHING', [found]);
  }
}

/** Whether a step has been found without its worker, under whatever fencing token. */
export async function isSuspect(db: Db, entry: JobOutboxEntry): Promise<boolean> {
  const { jobId } = entry.payload;
  const found =
    entry.queue === 'plan'
      ? rowOfEntry(db, entry).where({ suspect: true })
      : db('suspect_step').where({ job_id: jobId, step: entry.queue, chunk: chunkOf(entry) });
  return (await found.first(db.raw('1'))) !== undefined;
}

function chunkOf(entry: JobOutboxEntry): number {
  return entry.queue === 'apply' ? entry.payload.chunk : 0;
}
