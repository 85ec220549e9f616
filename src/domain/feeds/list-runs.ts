/** The runs of a feed, each of which is a job. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { JobStatus } from '../../../db/models/job.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { type DeliveryReport, deliveryReport, type RunCause, type RunReport, runReport } from './model/feed-run-job.js';

export interface FeedRun {
  readonly jobId: string;
  readonly cause: RunCause;
  readonly lateByMinutes: number;
  /** Null: the job is no longer kept. */
  readonly status: JobStatus | null;
  readonly statusMessage: string | null;
  /** Of a source; null: it has found nothing yet, or was ended otherwise. */
  readonly report: RunReport | null;
  /** Of a destination; null: it has sent nothing yet, or was ended otherwise. */
  readonly delivery: DeliveryReport | null;
  readonly imports: RunImports;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** What has become so far of the files that a run has taken, by those of their jobs that are kept. */
interface RunImports {
  readonly jobs: number;
  readonly unended: number;
  readonly created: number;
  readonly updated: number;
  /** Items that their files lack and that were deleted or changed. */
  readonly removed: number;
  /** Rows. */
  readonly failed: number;
  /** Jobs that wait for an approval. */
  readonly awaiting: number;
  /** Jobs that have ended without importing their file: rejected, failed, cancelled or expired. */
  readonly notImported: number;
  /** The removals that the brake has stopped; null: it has stopped none. */
  readonly brake: RunBrake | null;
  /** By the names of their files. */
  readonly firstJobIds: readonly string[];
}

/** The jobs whose removals were stopped, and what the first by the name of its file says. */
interface RunBrake {
  readonly jobs: number;
  readonly jobId: string;
  readonly fileName: string;
  readonly message: string;
}

const NAMED_JOBS = 5;

/** What a preview shows has not happened. */
const IS_WRITTEN = "imported.options ->> 'validateOnly' IS DISTINCT FROM 'true'";
const written = (count: string) => `coalesce(sum(imported.${count}) FILTER (WHERE ${IS_WRITTEN}), 0)`;
/** What is to be removed is said before it is. */
const REMOVED = `coalesce(sum(CAST(imported.options -> 'removal' ->> 'removed' AS bigint))
  FILTER (WHERE imported.completed_at IS NOT NULL AND ${IS_WRITTEN}), 0)`;
const IS_BRAKED = "imported.reason = 'SNAPSHOT_BRAKE'";
const BRAKE = `(array_agg(json_build_object('jobId', imported.id, 'fileName', feed_file.name,
  'message', coalesce(imported.status_message, '')) ORDER BY feed_file.name) FILTER (WHERE ${IS_BRAKED}))[1]`;

/** The index of files by time finds those of a run, between its beginning and its end. */
const IMPORTS = `(
  SELECT json_build_object('jobs', count(*), 'unended', count(*) FILTER (WHERE imported.completed_at IS NULL),
    'created', ${written('created_count')}, 'updated', ${written('updated_count')},
    'removed', ${REMOVED}, 'failed', coalesce(sum(imported.error_count), 0),
    'awaiting', count(*) FILTER (WHERE imported.status = 'AWAITING_APPROVAL'),
    'notImported', count(*) FILTER (WHERE imported.status IN ('REJECTED', 'FAILED', 'CANCELLED', 'EXPIRED')
      AND imported.options -> 'approval' ->> 'only' IS NULL),
    'braked', count(*) FILTER (WHERE ${IS_BRAKED}), 'brake', ${BRAKE},
    'firstJobIds', coalesce((array_agg(imported.id ORDER BY feed_file.name))[1:${NAMED_JOBS}], '{}'))
  FROM feed_file JOIN job imported ON imported.id = feed_file.job_id
  WHERE feed_file.feed_id = feed_run.feed_id AND feed_file.run_id = feed_run.job_id
    AND feed_file.taken_at >= feed_run.created_at AND feed_file.taken_at <= coalesce(feed_run.ended_at, 'infinity'))`;

/** The newest first. */
export async function listRuns(db: Db, feedId: string, { offset, limit }: PageRequest): Promise<Page<FeedRun>> {
  const [counted, found] = await Promise.all([
    db('feed_run').where({ feed_id: feedId }).count<{ count: string }[]>('* as count'),
    // The page first: what the runs before it have imported is not looked for.
    runs(db, (page) =>
      page
        .where({ feed_id: feedId })
        .orderBy([...NEWEST_FIRST])
        .offset(offset)
        .limit(limit),
    ).orderBy(NEWEST_FIRST.map(({ column, order }) => ({ column: `feed_run.${column}`, order }))),
  ]);
  return { rows: found.map(readRun), count: Number(counted[0]?.count ?? 0) };
}

/** The runs with these jobs, by the ids of the jobs. */
export async function findRuns(db: Db, jobIds: readonly string[]): Promise<ReadonlyMap<string, FeedRun>> {
  const found = jobIds.length === 0 ? [] : await runs(db, (some) => some.whereIn('job_id', jobIds));
  return new Map(found.map((row) => [row.jobId, readRun(row)]));
}

type StoredRun = Omit<FeedRun, 'report' | 'delivery' | 'imports'> & {
  readonly report: object | null;
  readonly imports: Omit<RunImports, 'brake'> & {
    readonly braked: number;
    readonly brake: Omit<RunBrake, 'jobs'> | null;
  };
};

const NEWEST_FIRST = [
  { column: 'created_at', order: 'desc' },
  { column: 'job_id', order: 'desc' },
] as const;

/** @param chosen chooses the runs */
function runs(db: Db, chosen: (all: Knex.QueryBuilder) => Knex.QueryBuilder) {
  return db
    .from(chosen(db.select('*').from('feed_run')).as('feed_run'))
    .leftJoin('job', 'job.id', 'feed_run.job_id')
    .select({
      ...{ jobId: 'feed_run.job_id', cause: 'feed_run.cause', lateByMinutes: 'feed_run.late_by_minutes' },
      ...{ status: 'job.status', statusMessage: 'job.status_message', report: 'feed_run.report' },
      ...{ createdAt: 'feed_run.created_at', completedAt: 'job.completed_at' },
    })
    .select<StoredRun[]>(db.raw(`${IMPORTS} AS imports`));
}

function readRun({ report, imports: { braked, brake, ...counts }, ...stored }: StoredRun): FeedRun {
  const run = { ...stored, imports: { ...counts, brake: brake === null ? null : { jobs: braked, ...brake } } };
  if (report === null) return { ...run, report: null, delivery: null };
  // A run of a destination speaks of files that it has sent.
  if ('files' in report) return { ...run, report: null, delivery: deliveryReport.parse(report) };
  return { ...run, report: runReport.parse(report), delivery: null };
}
