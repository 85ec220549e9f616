/** Records what came of the chunks of a job, and moves the job on. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { stepMark } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import { Job } from '../../../../db/models/job.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { type ChunkResult, OUTCOME } from '../../outcomes/model/chunk-result.js';
import { nextPass } from '../../outcomes/model/passes.js';
import { enqueueStep } from '../steps/enqueue-step.js';
import { type ChunkPlan, chunkPlan } from './chunk-plan.js';
import { openWindow, refillWindow } from './chunk-window.js';
import { type AppliedChunk, recordChunk } from './record-chunk.js';

/**
 * Records a chunk that the transaction has applied as done.
 * @param others chunks of the last pass that it has applied together with this one. Their steps begin when this one is
 *   done, so that nothing else records them meanwhile
 * @returns which chunks may follow; when empty, call advanceJob after the commit
 */
export async function finishChunk(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id'>,
  chunk: AppliedChunk,
  result: ChunkResult,
  { ordered }: ChunkPlan,
  others: readonly { readonly chunk: AppliedChunk; readonly result: ChunkResult }[] = [],
): Promise<OutboxEntry[]> {
  for (const other of others) await recordChunk(trx, other.chunk, other.result);
  await recordChunk(trx, chunk, result);
  // The outcome of a row that refers to other rows depends on the rows before it.
  return refillWindow(trx, { ...job, ordered: ordered || chunk.wave > 0 });
}

/**
 * Moves a job on when its chunks are done: to the next pass, or to its finish. Safe to call at any time.
 * @returns what to enqueue; empty while chunks are still open, or when another call has moved the job on
 */
export function advanceJob(db: Db, jobId: string): Promise<OutboxEntry[]> {
  return withRetries(db, async (trx) => {
    // No stronger lock: each error that a chunk records takes a shared lock on the job's row (foreign key), and a
    // sequence of such chunks would keep this statement waiting.
    const job = await Job.query(trx)
      .findById(jobId)
      .select('job.*', raw(stepMark('job.id')))
      .where({ step: 'apply' })
      .whereNull('completed_at')
      .forNoKeyUpdate();
    if (job === undefined) return [];
    const plan = chunkPlan.parse(job.plan);
    // Each of a job's last chunks calls this. Only the very last one has to read the others.
    if (await hasChunks(trx, jobId, 'dispatched')) return [];
    const chunks = await trx('job_chunk')
      .where({ job_id: jobId })
      .first(
        trx.raw('coalesce(max(wave), 0)::integer AS wave'),
        trx.raw("coalesce(sum(length(outcomes) - length(replace(outcomes, :deferred, ''))), 0)::integer AS waiting", {
          deferred: OUTCOME.deferred,
        }),
      );
    const ordered = plan.ordered || chunks.wave > 0;
    if (await hasChunks(trx, jobId, 'pending')) return openWindow(trx, { ...job, ordered });
    const pass = nextPass(chunks.wave, plan.waiting ?? 0, chunks.waiting);
    if (pass === null) return [await enqueueStep(trx, jobId, plan.after ?? 'finish')];
    await trx('job_chunk')
      .where({ job_id: jobId })
      .whereRaw('position(? IN outcomes) > 0', [OUTCOME.deferred])
      .update({ wave: pass, status: 'pending' });
    // Merged, so that the other members of the plan stay.
    await trx('job')
      .where({ id: jobId })
      .update({ plan: trx.raw('plan || ?::jsonb', [JSON.stringify({ waiting: chunks.waiting })]) });
    return openWindow(trx, { ...job, ordered: true });
  });
}

async function hasChunks(trx: Knex.Transaction, jobId: string, status: 'dispatched' | 'pending'): Promise<boolean> {
  return (await trx('job_chunk').where({ job_id: jobId, status }).first('idx')) !== undefined;
}
