/** Accepts the small jobs of concurrent requests together: one statement, one commit, and one look at their sites. */
import type { Db } from '../../db/connection.js';
import { isRefused } from '../../db/is-refused.js';
import { acceptJobs, type InlineInput, type NewJob, recordedJob } from '../domain/jobs/accept-job.js';
import { releaseDue } from '../domain/jobs/release-jobs.js';
import { createBatcher } from '../platform/concurrency/batcher.js';
import type { Logger } from '../platform/logger.js';
import type { OutboxEntry } from '../queues/outbox.js';

const MAX_JOBS = 64;
/** Larger inputs are accepted by themselves, so that a batch stays within MAX_JOBS times this. */
const MAX_BYTES = 64 * 1024;
/** How long a batch waits for the lock of a site: the requests of other sites wait meanwhile. */
const MAX_WAIT_MS = 1_000;
/** What one call of the queue adds at most. */
const MAX_FOLLOWED = 4 * MAX_JOBS;

type RecordedJob = ReturnType<typeof recordedJob>;

interface AcceptorServices {
  readonly db: Db;
  /** Does not fail: the reconciler enqueues what the queue does not accept. */
  readonly enqueue: (outboxEntries: readonly OutboxEntry[]) => Promise<void>;
  readonly logger: Logger;
}

/** What follows the commit of a job. */
interface Accepted {
  readonly outboxEntries: readonly OutboxEntry[];
  /** Its site, when nothing else makes sure that the job is released. */
  readonly heldOf: number | null;
}

/**
 * Records a job with its rows, and resolves when it is committed and what is due was enqueued.
 * @throws when the job is not accepted
 */
export type AcceptJob = <Name extends string, Options>(job: NewJob<Name, Options>, input: InlineInput) => Promise<void>;

/**
 * One per process. A lone job waits for no other; the more requests there are at a time, the larger the batches. The
 * next batch is accepted while the last one is enqueued.
 */
export function createJobAcceptor({ db, enqueue, logger }: AcceptorServices): AcceptJob {
  const acceptBatched = createBatcher<RecordedJob, Accepted | null>({
    lingerMs: 0,
    maxItems: MAX_JOBS,
    // The database cannot be reached, or does not answer in time: the next batch would wait just as long to learn that.
    failsWaiting: true,
    run: (jobs) => acceptBatch(db, jobs),
  });
  const follow = createBatcher<Accepted, void>({
    lingerMs: 0,
    maxItems: MAX_FOLLOWED,
    run: async (accepted) => {
      await followUp({ db, enqueue, logger }, accepted);
      return accepted.map(() => undefined);
    },
  });
  /** How many jobs of a site are being accepted by themselves because their batch failed. */
  const apart = new Map<number, number>();

  async function acceptApart(job: RecordedJob): Promise<Accepted> {
    apart.set(job.siteId, (apart.get(job.siteId) ?? 0) + 1);
    try {
      return await acceptAlone(db, job);
    } finally {
      const others = (apart.get(job.siteId) ?? 0) - 1;
      if (others > 0) apart.set(job.siteId, others);
      else apart.delete(job.siteId);
    }
  }

  return async (job, input) => {
    const recorded = recordedJob(job, { kind: 'rows', ...input });
    // The lock of the site may be held for long: only requests of that site should wait for it.
    const accepted =
      input.lines.length <= MAX_BYTES && !apart.has(recorded.siteId)
        ? ((await acceptBatched(recorded)) ?? (await acceptApart(recorded)))
        : await acceptAlone(db, recorded);
    await follow(accepted);
  };
}

/** @returns null for each job when the statement was refused: one of them may be the reason, so accept each by itself */
async function acceptBatch(db: Db, jobs: readonly RecordedJob[]): Promise<readonly (Accepted | null)[]> {
  try {
    const outboxEntries = await acceptJobs(db, jobs, MAX_WAIT_MS);
    const seen = new Set<number>();
    return jobs.map(({ siteId }, index) => {
      const entries = outboxEntries[index] ?? [];
      // A held job behind one of this batch that is enqueued is released when that one begins or ends.
      const isFirst = !seen.has(siteId);
      seen.add(siteId);
      return { outboxEntries: entries, heldOf: isFirst && entries.length === 0 ? siteId : null };
    });
  } catch (error) {
    if (isRefused(error)) return jobs.map(() => null);
    throw error;
  }
}

async function acceptAlone(db: Db, job: RecordedJob): Promise<Accepted> {
  const [outboxEntries = []] = await acceptJobs(db, [job]);
  return { outboxEntries, heldOf: outboxEntries.length === 0 ? job.siteId : null };
}

/** Enqueues. A job that was accepted as held is released if all jobs ahead of it have ended since then. */
async function followUp({ db, enqueue, logger }: AcceptorServices, accepted: readonly Accepted[]): Promise<void> {
  const held = new Set(accepted.flatMap(({ heldOf }) => (heldOf === null ? [] : [heldOf])));
  const released = async () => {
    if (held.size === 0) return;
    try {
      await enqueue(await releaseDue(db, [...held]));
    } catch (error) {
      logger.warn({ err: error }, 'could not release the jobs that were accepted; the reconciler will do it later');
    }
  };
  const due = accepted.flatMap(({ outboxEntries }) => outboxEntries);
  await Promise.all([enqueue(due), released()]);
}
