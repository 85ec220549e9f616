/** The row that has the fencing token of a step. */
import type { Db } from '../../../../db/connection.js';
import type { JobOutboxEntry } from '../../../queues/outbox.js';

/** The columns of a job whose step is new: nothing has failed yet, and it does not wait. */
export const NEW_STEP = { attempts: 0, outages: 0, deaths: 0, status_message: null } as const;

/** The row of an outbox entry, if its fencing token is current. */
export function rowOfEntry(db: Db, entry: JobOutboxEntry) {
  if (entry.queue === 'apply') {
    const { jobId, chunk, dispatch: number } = entry.payload;
    return db('job_chunk').where({ job_id: jobId, idx: chunk, dispatch: number, status: 'dispatched' });
  }
  const { jobId, dispatch: number } = entry.payload;
  if (entry.queue === 'plan') {
    const place = db('job').where({ id: jobId, step: 'plan' }).whereNull('completed_at').select('site_id', 'line_no');
    return db('job_order').whereIn(['site_id', 'position'], place).where({ dispatch: number });
  }
  return db('job').where({ id: jobId, step: entry.queue, dispatch: number }).whereNull('completed_at');
}
