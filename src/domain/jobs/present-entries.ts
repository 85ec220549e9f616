/** What the queue should have of a job that is beyond its plan step. */
import type { Db } from '../../../db/connection.js';
import type { JobOutboxEntry } from '../../queues/outbox.js';
import { suspicionOf } from './steps/suspicion.js';

/**
 * Returns what the queue should have of a job now, except for its plan step.
 * @param suspect the plan step was found without its worker, which may have executed the present steps inline
 */
export async function presentEntries(db: Db, jobId: string, suspect?: true): Promise<JobOutboxEntry[]> {
  const job = await db('job').where({ id: jobId }).whereNull('completed_at').first('step', 'dispatch');
  if (job === undefined || job.step === 'plan') return [];
  const chunks: { readonly idx: number; readonly dispatch: number }[] =
    job.step === 'apply'
      ? await db('job_chunk').where({ job_id: jobId, status: 'dispatched' }).select('idx', 'dispatch')
      : [];
  const known = await db('suspect_step').where({ job_id: jobId, step: job.step }).select('chunk');
  const suspicion = (chunk: number) => suspicionOf(suspect === true || known.some((one) => one.chunk === chunk));
  if (job.step !== 'apply') return [{ queue: job.step, payload: { jobId, dispatch: job.dispatch, ...suspicion(0) } }];
  return chunks.map(({ idx, dispatch }) => ({
    queue: 'apply',
    payload: { jobId, chunk: idx, dispatch, ...suspicion(idx) },
  }));
}
