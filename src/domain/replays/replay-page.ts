/**
 * Executes the replay of a range, one page per transaction. A replayed delivery no longer belongs to the range, so none
 * is replayed twice.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { parseJob } from '../job-model/job-type.js';
import { endJob } from '../jobs/end-job.js';
import { lockJobStep } from '../jobs/job-steps.js';
import { beginOneStep, recordProgress } from '../jobs/single-step.js';
import { countInRange, replayRange } from '../webhooks/replay-range.js';
import { REPLAY_JOBS, type ReplayJob, type ReplayRange } from './replay-job.js';

const PAGE = 500;

interface ReplayedPage {
  /** What to enqueue now that the page is committed. */
  readonly outboxEntries: OutboxEntry[];
  /** `stale`: the fencing token is no longer that of the row, or the job has ended. */
  readonly kind: 'more' | 'ended' | 'stale';
}

export function replayPage(db: Db, payload: StepPayload): Promise<ReplayedPage> {
  return withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, payload, 'replay');
    if (row === undefined) return { outboxEntries: [], kind: 'stale' };
    const job = parseJob(REPLAY_JOBS, row);
    const begun = job.started_at ?? (await begin(trx, job));
    const replayed = await replayRange(trx, rangeOf(job.options, begun), PAGE);
    const updatedCount = job.updated_count + replayed.length;
    const hasEnded = replayed.length < PAGE;
    await recordProgress(trx, payload, {
      updatedCount,
      processedCount: updatedCount,
      // Some deliveries may have been replayed by others or pruned since the first count.
      ...(hasEnded ? { totalCount: updatedCount } : {}),
      goesOn: true,
    });
    if (!hasEnded) return { outboxEntries: replayed, kind: 'more' };
    await endJob(trx, payload.jobId, { status: 'COMPLETED' });
    return { outboxEntries: replayed, kind: 'ended' };
  });
}

/** @returns the time at which the job began */
async function begin(trx: Knex.Transaction, job: ReplayJob): Promise<Date> {
  const totalCount = await countInRange(trx, rangeOf(job.options, null));
  const begun = await beginOneStep(trx, job, { totalCount });
  if (begun === null) throw new Error(`replay job ${job.id} was held, but replay jobs never wait for other jobs`);
  return begun;
}

/**
 * Only includes deliveries that ended before the job began, if it has begun: those that fail again while it runs are not replayed again.
 */
function rangeOf(range: ReplayRange, begun: Date | null): ReplayRange & { readonly endedBy: Date | null } {
  return { ...range, endedBy: begun };
}
