/** Follows the ends of jobs: announces them, and releases the jobs that were held for them. */
import type { Db } from '../../../db/connection.js';
import type { JobRow, JobStatus } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { BEGINS_TO_WAIT } from '../job-model/job-times.js';
import { type JobTypes, typeOf } from '../job-model/job-type.js';
import type { ChunkCounts } from '../outcomes/model/chunk-result.js';
import { firstEntries } from '../webhooks/first-entries.js';
import type { EndedJob } from './ends/end-jobs.js';
import { JOB_ENDED_CHANNEL } from './model/job-end.js';
import { sweep, sweepsAt } from './order/sweep.js';
import { placeUnplacedJobs } from './place-jobs.js';
import { releaseDue } from './release-jobs.js';
import { releaseHeld } from './single-step/site-window.js';

/**
 * Follows the end of a job after its commit, of which only the id is known, and announces it. A NOTIFY inside the
 * transaction would make all commits of the database wait for each other. A lost notification delays a waiting request
 * by a second only, because it also polls.
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
  const result = await db.raw<{ rows: LoadedEnd[] }>(
    `SELECT id, site_id, kind, type, status, reason, line_no, end_event_ids,
       created_count, updated_count, unchanged_count, error_count, processed_count, completed_at IS NOT NULL AS ended,
       options #> '{removal,supersedes}' AS superseded, extract(epoch FROM completed_at - ${BEGINS_TO_WAIT})::float8 AS seconds,
       CASE WHEN kind <> ALL (:jobTypes::text[]) AND (completed_at IS NOT NULL OR status = 'AWAITING_APPROVAL') THEN pg_notify(:channel, id) END AS announced
     FROM job WHERE id = :jobId`,
    { jobTypes, channel: JOB_ENDED_CHANNEL, jobId },
  );
  const [job] = result.rows;
  if (job === undefined) return [];
  // A preview that goes on by itself has begun again, and is held until its turn comes; or was approved already. It may run.
  if (!job.ended && job.status !== 'AWAITING_APPROVAL') return releaseDue(db, [job.site_id]);
  onEnd(summaryOf(job));
  // Jobs that follow from changed definitions are placed before the end is announced: requests that a client sends
  // when it knows of the end come after them.
  const placed = jobTypes.includes(job.kind) ? await placeUnplacedJobs(db, job.site_id) : [];
  if (jobTypes.includes(job.kind)) await db.raw('SELECT pg_notify(?, ?)', [JOB_ENDED_CHANNEL, jobId]);
  const { site_id: siteId, line_no: position, kind, end_event_ids: eventIds } = job;
  const followed = await followEnds(db, types, [{ id: jobId, siteId, position, kind, eventIds: eventIds ?? [] }]);
  const entries = [...placed, ...followed];
  // They have ended in the same transaction.
  for (const older of job.superseded ?? []) entries.push(...(await followEnd(db, types, older, onEnd)));
  return entries;
}

/**
 * Follows ends that were announced: releases the jobs that were held for them, the next of the ordering queues of their
 * sites or the next of their types, and sends the first deliveries of their events.
 * @param siteIds further sites in which jobs may be due
 * @returns what to enqueue
 */
export async function followEnds(
  db: Db,
  types: JobTypes,
  ended: readonly EndedJob[],
  siteIds: readonly number[] = [],
): Promise<OutboxEntry[]> {
  const ofOneStep = ended.filter((job) => typeOf(types, job).oneStep !== undefined);
  const ordered = ended.filter((job) => !ofOneStep.includes(job));
  const sites = new Set([...siteIds, ...ordered.map(({ siteId }) => siteId)]);
  const eventIds = ended.flatMap((job) => job.eventIds);
  const [entries, released, ...others] = await Promise.all([
    eventIds.length === 0 ? [] : firstEntries(db, eventIds),
    releaseDue(db, [...sites]),
    ...ofOneStep.map((job) => releaseHeld(db, typeOf(types, job), job.siteId)),
  ]);
  const swept = ordered.flatMap(({ siteId, position }) => (position !== null && sweepsAt(position) ? [siteId] : []));
  if (swept.length > 0) await sweep(db, [...new Set(swept)]);
  return [...released, ...others.flat(), ...entries];
}

interface LoadedEnd
  extends Pick<JobRow, 'id' | 'site_id' | 'kind' | 'type' | 'status' | 'reason' | 'line_no' | 'end_event_ids'>,
    Pick<JobRow, 'created_count' | 'updated_count' | 'unchanged_count' | 'error_count' | 'processed_count'> {
  readonly seconds: number | null;
  readonly ended: boolean;
  /** The older jobs whose removals it has superseded; null: it is no such job, or there was none. */
  readonly superseded: readonly string[] | null;
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
  /** From its acceptance to its end; of a file that was held, from its beginning. */
  readonly seconds: number;
}

function summaryOf(job: LoadedEnd): JobSummary {
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
