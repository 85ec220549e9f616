/** Whether a step has been found without its worker. */
import type { Db } from '../../../../db/connection.js';
import type { JobOutboxEntry } from '../../../queues/outbox.js';
import { rowOfEntry } from '../steps/step-row.js';

/** Whether a step has been found without its worker, under whatever fencing token. */
export async function isSuspect(db: Db, entry: JobOutboxEntry): Promise<boolean> {
  const { jobId } = entry.payload;
  const found =
    entry.queue === 'plan'
      ? rowOfEntry(db, entry).where({ suspect: true })
      : db('suspect_step').where({ job_id: jobId, step: entry.queue, chunk: chunkOf(entry) });
  return (await found.first(db.raw('1'))) !== undefined;
}

export function chunkOf(entry: JobOutboxEntry): number {
  return entry.queue === 'apply' ? entry.payload.chunk : 0;
}
