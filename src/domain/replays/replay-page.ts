/** Carries out the replay of a range, a page a transaction: what is replayed is no longer to be found, so none is twice. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import type { Dispatch } from '../../queues/outbox.js';
import { endJob } from '../jobs/end-job.js';
import { countInRange, type ReplayRange, replayRange } from '../webhooks/redispatch.js';
import type { ReplayRange as GivenRange } from './accept-replay.js';

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
    const replayed = await replayRange(trx, rangeOf(job, job.started_at), PAGE);
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

async function begin(trx: Knex.Transaction, job: Job): Promise<Job> {
  const begun = new Date();
  const total_count = await countInRange(trx, rangeOf(job, begun));
  return Job.query(trx).patchAndFetchById(job.id, { status: 'IN_PROGRESS', started_at: begun, total_count });
}

/** Of what had ended before the job began: what ends again while it runs is not replayed twice. */
function rangeOf({ options }: Job, begun: Date | null): ReplayRange {
  const { webhookId, since, until } = options as unknown as GivenRange;
  return { webhookId, since, until, endedBy: begun };
}
