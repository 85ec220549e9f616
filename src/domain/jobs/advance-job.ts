/** Moves a job on when its chunks are done: to the second wave, or to its finish. Safe to call at any time, by anyone. */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/dispatch.js';
import { OUTCOME } from '../ingest/chunk-result.js';
import { openWindow } from './chunk-window.js';

/** @returns what to enqueue; empty while chunks are still open, or when somebody else moved the job on */
export function advanceJob(db: Db, jobId: string): Promise<Dispatch[]> {
  return withRetries(db, async (trx) => {
    // No stronger lock: each error that a chunk records shares the job's row, and a run of them would keep us waiting.
    const job = await trx('job').where({ id: jobId, step: 'apply' }).whereNull('completed_at').forNoKeyUpdate().first();
    if (job === undefined) return [];
    const chunks = await trx('job_chunk')
      .where({ job_id: jobId })
      .first(
        trx.raw("count(*) FILTER (WHERE status = 'dispatched')::integer AS dispatched"),
        trx.raw("count(*) FILTER (WHERE status = 'pending')::integer AS pending"),
        trx.raw('count(*) FILTER (WHERE wave = 1)::integer AS second_wave'),
        trx.raw('count(*) FILTER (WHERE wave = 0 AND position(? IN outcomes) > 0)::integer AS put_off', [
          OUTCOME.later,
        ]),
      );
    if (chunks.dispatched > 0) return [];
    // Whether an item may become a variant depends on those before it.
    const ordered = job.plan?.ordered === true || chunks.second_wave > 0;
    if (chunks.pending > 0) return openWindow(trx, { ...job, ordered });
    if (chunks.put_off > 0) {
      await trx('job_chunk')
        .where({ job_id: jobId, wave: 0 })
        .whereRaw('position(? IN outcomes) > 0', [OUTCOME.later])
        .update({ wave: 1, status: 'pending' });
      return openWindow(trx, { ...job, ordered: true });
    }
    return [await dispatchFinish(trx, jobId)];
  });
}

/** Turns a job to its finish. The caller's transaction has locked its row. */
export function dispatchFinish(trx: Db, jobId: string): Promise<Dispatch> {
  return dispatchStep(trx, jobId, 'finish');
}

/** Turns a job to another step. The caller's transaction has locked its row. */
export async function dispatchStep(trx: Db, jobId: string, step: 'apply-all' | 'finish'): Promise<Dispatch> {
  const [row] = await trx('job')
    .where({ id: jobId })
    .update({
      step,
      dispatch: trx.raw('dispatch + 1'),
      dispatched_at: trx.fn.now(),
      updated_at: trx.fn.now(),
      attempts: 0,
    })
    .returning('dispatch');
  return { queue: step, payload: { jobId, dispatch: row.dispatch } };
}
