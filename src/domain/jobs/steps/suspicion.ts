/** What is enqueued of a step that may have ended its worker process: it says so, and runs in a process of its own. */
import type { Db } from '../../../../db/connection.js';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { JobOutboxEntry } from '../../../queues/outbox.js';
import { rowOfEntry } from './step-row.js';

/** The member of a step's payload that says whether it is suspect. */
export function suspicionOf(suspect: boolean): Pick<StepPayload, 'suspect'> {
  return suspect ? { suspect } : {};
}

/** The entry as it is to be enqueued: whether it was found without its worker, under whatever fencing token. */
export async function withSuspicion(db: Db, entry: JobOutboxEntry): Promise<JobOutboxEntry> {
  const found =
    entry.queue === 'plan'
      ? rowOfEntry(db, entry).where({ suspect: true })
      : db('suspect_step').where(rowOfSuspect(entry));
  if ((await found.first(db.raw('1'))) === undefined) return entry;
  return { ...entry, payload: { ...entry.payload, suspect: true } } as JobOutboxEntry;
}

/** What identifies a step in `suspect_step`. */
export function rowOfSuspect(entry: JobOutboxEntry) {
  const chunk = entry.queue === 'apply' ? entry.payload.chunk : 0;
  return { job_id: entry.payload.jobId, step: entry.queue, chunk };
}
