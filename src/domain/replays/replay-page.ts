/** Carries out the replay of a range, a page a transaction: what is replayed is no longer to be found, so none is twice. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/outbox.js';
import { endJob } from '../jobs/end-job.js';
import { beginOneStep, lockJobStep, recordProgress, type StepPayload } from '../jobs/job-steps.js';
import { parseJob } from '../jobs/job-type.js';
import { BEGIN_ROUND } from '../webhooks/delivery/begin-round.js';
import { REPLAY_JOBS, type ReplayJob, type ReplayRange } from './replay-job.js';

const PAGE = 500;

export interface ReplayedPage {
  /** What to enqueue now that the page is committed. */
  readonly dispatches: Dispatch[];
  /** `stale`: another dispatch has taken over, or the job has ended. */
  readonly kind: 'more' | 'ended' | 'stale';
}

export function replayPage(db: Db, payload: StepPayload): Promise<ReplayedPage> {
  return withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, payload, 'replay');
    if (row === undefined) return { dispatches: [], kind: 'stale' };
    const job = parseJob(REPLAY_JOBS, row);
    const begun = job.started_at ?? (await begin(trx, job));
    const replayed = await replay(trx, job.options, begun);
    const updatedCount = job.updated_count + replayed.length;
    const hasEnded = replayed.length < PAGE;
    await recordProgress(trx, payload, {
      updatedCount,
      processedCount: updatedCount,
      // Others may have been replayed or pruned meanwhile: what is counted is what there was.
      ...(hasEnded ? { totalCount: updatedCount } : {}),
      goesOn: true,
    });
    if (!hasEnded) return { dispatches: replayed, kind: 'more' };
    await endJob(trx, payload.jobId, { status: 'COMPLETED' });
    return { dispatches: replayed, kind: 'ended' };
  });
}

/** Those that had ended before the job began, and not those that end again while it runs. */
const IN_RANGE = `definition_id = :webhookId AND status IN ('DEAD', 'CANCELLED') AND callback_url IS NULL
  AND created_at >= :since::timestamptz AND created_at < coalesce(:until::timestamptz, 'infinity')
  AND completed_at <= :begun`;

/** @returns when it began */
async function begin(trx: Knex.Transaction, job: ReplayJob): Promise<Date> {
  const counted = await trx.raw(`SELECT count(*)::integer AS total FROM delivery WHERE ${IN_RANGE}`, {
    ...rangeOf(job.options),
    begun: new Date(),
  });
  const begun = await beginOneStep(trx, job, { totalCount: counted.rows[0].total });
  if (begun === null) throw new Error(`replay ${job.id} is held, and its type holds none`);
  return begun;
}

async function replay(trx: Knex.Transaction, range: ReplayRange, begun: Date): Promise<Dispatch[]> {
  const result = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `UPDATE delivery SET ${BEGIN_ROUND} FROM (
       SELECT id FROM delivery WHERE ${IN_RANGE} ORDER BY created_at, id LIMIT ${PAGE} FOR UPDATE) AS due
     WHERE delivery.id = due.id RETURNING delivery.id, delivery.dispatch`,
    { ...rangeOf(range), begun },
  );
  return result.rows.map(({ id, dispatch }) => ({ queue: 'redeliver', payload: { deliveryId: id, dispatch } }));
}

function rangeOf({ webhookId, since, until }: ReplayRange) {
  return { webhookId, since, until };
}
