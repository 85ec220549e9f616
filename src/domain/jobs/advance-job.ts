/** Moves a job on when its chunks are done: to the next wave, or to its finish. Safe to call at any time, by anyone. */
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/dispatch.js';
import { OUTCOME } from '../ingest/chunk-result.js';
import { nextWave } from '../ingest/waves.js';
import { openWindow } from './chunk-window.js';

/** @returns what to enqueue; empty while chunks are still open, or when somebody else moved the job on */
export function advanceJob(db: Db, jobId: string): Promise<Dispatch[]> {
  return withRetries(db, async (trx) => {
    // No stronger lock: each error that a chunk records shares the job's row, and a run of them would keep us waiting.
    const job = await trx('job').where({ id: jobId, step: 'apply' }).whereNull('completed_at').forNoKeyUpdate().first();
    if (job === undefined) return [];
    // Each of a job's last chunks asks: only the last of all need look at the others.
    if (await hasChunks(trx, jobId, 'dispatched')) return [];
    const chunks = await trx('job_chunk')
      .where({ job_id: jobId })
      .first(
        trx.raw('coalesce(max(wave), 0)::integer AS wave'),
        trx.raw("coalesce(sum(length(outcomes) - length(replace(outcomes, :later, ''))), 0)::integer AS waiting", {
          later: OUTCOME.later,
        }),
      );
    // What becomes of a row that refers to others depends on those before it.
    const ordered = job.plan?.ordered === true || chunks.wave > 0;
    if (await hasChunks(trx, jobId, 'pending')) return openWindow(trx, { ...job, ordered });
    const wave = nextWave(chunks.wave, job.plan?.waiting ?? 0, chunks.waiting);
    if (wave === null) return [await dispatchFinish(trx, jobId)];
    await trx('job_chunk')
      .where({ job_id: jobId })
      .whereRaw('position(? IN outcomes) > 0', [OUTCOME.later])
      .update({ wave, status: 'pending' });
    await trx('job')
      .where({ id: jobId })
      .update({ plan: JSON.stringify({ ...job.plan, waiting: chunks.waiting }) });
    return openWindow(trx, { ...job, ordered: true });
  });
}

async function hasChunks(trx: Db, jobId: string, status: 'dispatched' | 'pending'): Promise<boolean> {
  return (await trx('job_chunk').where({ job_id: jobId, status }).first('idx')) !== undefined;
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
