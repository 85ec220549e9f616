/** Carries out the replay of a range, a page a transaction: what is replayed is no longer to be found, so none is twice. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/outbox.js';
import { endJob } from '../jobs/end-job.js';
import { BEGIN_ROUND } from '../webhooks/delivery/begin-round.js';
import type { ReplayRange } from './accept-replay.js';

const PAGE = 500;

export interface ReplayedPage {
  /** What to enqueue now that the page is committed. */
  readonly dispatches: Dispatch[];
  /** `stale`: another dispatch has taken over, or the job has ended. */
  readonly kind: 'more' | 'ended' | 'stale';
}

export function replayPage(
  db: Db,
  { jobId, dispatch }: { readonly jobId: string; readonly dispatch: number },
): Promise<ReplayedPage> {
  return withRetries(db, async (trx) => {
    const found = await Job.query(trx).findById(jobId).where({ step: 'replay', dispatch }).forNoKeyUpdate();
    if (found === undefined || found.completed_at !== null) return { dispatches: [], kind: 'stale' };
    const job = found.started_at === null ? await begin(trx, found) : found;
    const replayed = await replay(trx, job);
    const updated = job.updated_count + replayed.length;
    await Job.query(trx)
      .findById(jobId)
      .patch({ updated_count: updated, processed_count: updated, dispatched_at: new Date(), updated_at: new Date() });
    if (replayed.length === PAGE) return { dispatches: replayed, kind: 'more' };
    // Others may have been replayed or pruned meanwhile: what is counted is what there was.
    await trx('job').where({ id: jobId }).update({ total_count: updated });
    await endJob(trx, jobId, { status: 'COMPLETED' });
    return { dispatches: replayed, kind: 'ended' };
  });
}

/** Those that had ended before the job began, and not those that end again while it runs. */
const IN_RANGE = `definition_id = :webhookId AND status IN ('DEAD', 'CANCELLED') AND callback_url IS NULL
  AND created_at >= :since::timestamptz AND created_at < coalesce(:until::timestamptz, 'infinity')
  AND completed_at <= :begun`;

async function begin(trx: Knex.Transaction, job: Job): Promise<Job> {
  const begun = new Date();
  const counted = await trx.raw(`SELECT count(*)::integer AS total FROM delivery WHERE ${IN_RANGE}`, {
    ...rangeOf(job),
    begun,
  });
  const total_count: number = counted.rows[0].total;
  return Job.query(trx).patchAndFetchById(job.id, { status: 'IN_PROGRESS', started_at: begun, total_count });
}

async function replay(trx: Knex.Transaction, job: Job): Promise<Dispatch[]> {
  const result = await trx.raw<{ rows: { id: string; dispatch: number }[] }>(
    `UPDATE delivery SET ${BEGIN_ROUND} FROM (
       SELECT id FROM delivery WHERE ${IN_RANGE} ORDER BY created_at, id LIMIT ${PAGE} FOR UPDATE) AS due
     WHERE delivery.id = due.id RETURNING delivery.id, delivery.dispatch`,
    { ...rangeOf(job), begun: job.started_at },
  );
  return result.rows.map(({ id, dispatch }) => ({ queue: 'redeliver', payload: { deliveryId: id, dispatch } }));
}

function rangeOf({ options }: Job): { webhookId: string; since: string; until: string | null } {
  const { webhookId, since, until } = options as unknown as ReplayRange;
  return { webhookId, since, until };
}
