/** Steps that were found without their worker: each may be the reason why it ended. */
import type { Db } from '../../../db/connection.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { chunkOf } from './failure/is-suspect.js';
import { rowOfEntry } from './steps/step-row.js';

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
