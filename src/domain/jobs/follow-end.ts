/** Follows the end of a job: announces it, and releases the jobs that were held for it. */
import type { Db } from '../../../db/connection.js';
import type { JobRow, JobStatus } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { ChunkCounts } from '../kernel/chunk-result.js';
import { firstEntries } from '../webhooks/emit-events.js';
import { JOB_ENDED_CHANNEL } from './end-job.js';
import { type JobTypes, typeOf } from './model/job-type.js';
import { sweep, sweepsAt } from './order/sweep.js';
import { placeUnplacedJobs } from './place-jobs.js';
import { releaseDue } from './release-jobs.js';
import { releaseOneStep } from './single-step.js';

/**
 * Announces a job's end after its commit, and releases the jobs that were held for it: the next of the ordering queue
 * of its site, or the next of its type. A NOTIFY inside the transaction would make all commits of the database wait for
 * each other. A lost notification delays a waiting request by a second only, because it also polls.
 * @param onEnd gets what has become of the job
 * @returns what to enqueue
 */
export async function followEnd(
  db: Db,
  types: JobTypes,
  jobId: string,
  onEnd: (job: JobSummary) => void = () => undefined,
): Promise<OutboxEntry[]> {
  const defining = Object.values(types).filter(({ definitions }) => definitions === 'changed');
  const jobTypes = defining.map(({ kind }) => kind);
  const result = await db.raw<{ rows: EndedJob[] }>(
    `SELECT id, site_id, kind, type, status, reason, line_no, end_event_ids,
       created_count, updated_count, unchanged_count, error_count, processed_count,
       extract(epoch FROM completed_at - created_at)::float8 AS seconds,
       CASE WHEN kind <> ALL (:jobTypes::text[]) THEN pg_notify(:channel, id) END AS announced
     FROM job WHERE id = :jobId`,
    { jobTypes, channel: JOB_ENDED_CHANNEL, jobId },
  );
  const [job] = result.rows;
  if (job === undefined) return [];
  onEnd(summaryOf(job));
  // Jobs that follow from changed definitions are placed before the end is announced: requests that a client sends
  // when it knows of the end come after them.
  const placed = jobTypes.includes(job.kind) ? await placeUnplacedJobs(db, job.site_id) : [];
  if (jobTypes.includes(job.kind)) await db.raw('SELECT pg_notify(?, ?)', [JOB_ENDED_CHANNEL, jobId]);
  const released = [...placed, ...(await releaseNext(db, types, job))];
  return job.end_event_ids === null ? released : [...released, ...(await firstEntries(db, job.end_event_ids))];
}

interface EndedJob
  extends Pick<JobRow, 'id' | 'site_id' | 'kind' | 'type' | 'status' | 'reason' | 'line_no' | 'end_event_ids'>,
    Pick<JobRow, 'created_count' | 'updated_count' | 'unchanged_count' | 'error_count' | 'processed_count'> {
  readonly seconds: number | null;
}

/** What has become of a job. */
interface JobSummary {
  readonly jobId: string;
  readonly kind: string;
  readonly type: string;
  readonly outcome: JobStatus;
  readonly reason: string | null;
  /** Those that have an outcome; of an export those that it has written. */
  readonly rows: number;
  readonly counts: ChunkCounts;
  /** From its acceptance to its end. */
  readonly seconds: number;
}

function summaryOf(job: EndedJob): JobSummary {
  return {
    jobId: job.id,
    kind: job.kind,
    type: job.type,
    outcome: job.status,
    reason: job.reason,
    rows: job.processed_count,
    counts: {
      created: job.created_count,
      updated: job.updated_count,
      unchanged: job.unchanged_count,
      failed: job.error_count,
    },
    seconds: job.seconds ?? 0,
  };
}

/**
 * Releases the jobs that were held until this job's end. @returns what to enqueue
 * @internal exported for tests
 */
export async function releaseNext(
  db: Db,
  types: JobTypes,
  job: Pick<JobRow, 'id' | 'site_id' | 'kind' | 'line_no'>,
): Promise<OutboxEntry[]> {
  const type = typeOf(types, job);
  const { site_id: siteId, line_no: position } = job;
  if (type.oneStep !== undefined) return releaseOneStep(db, type, siteId);
  const released = await releaseDue(db, siteId);
  if (position !== null && sweepsAt(position)) await sweep(db, [siteId]);
  return released;
}
