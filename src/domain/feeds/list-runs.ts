/** The runs of a feed, each of which is a job. */
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
  readonly failed: number;
  /** By the names of their files. */
  readonly firstJobIds: readonly string[];
}

const NAMED_JOBS = 5;

/** The index of files by time finds those of a run, between its beginning and its end. */
const IMPORTS = `(
  SELECT json_build_object('jobs', count(*), 'unended', count(*) FILTER (WHERE imported.completed_at IS NULL),
    'created', coalesce(sum(imported.created_count), 0), 'updated', coalesce(sum(imported.updated_count), 0),
    'failed', coalesce(sum(imported.error_count), 0),
    'firstJobIds', coalesce((array_agg(imported.id ORDER BY feed_file.name))[1:${NAMED_JOBS}], '{}'))
  FROM feed_file JOIN job imported ON imported.id = feed_file.job_id
  WHERE feed_file.feed_id = feed_run.feed_id AND feed_file.run_id = feed_run.job_id
    AND feed_file.taken_at >= feed_run.created_at AND feed_file.taken_at <= coalesce(feed_run.ended_at, 'infinity'))`;

/** The newest first. */
export async function listRuns(db: Db, feedId: string, { offset, limit }: PageRequest): Promise<Page<FeedRun>> {
  const [counted, found] = await Promise.all([
    db('feed_run').where({ feed_id: feedId }).count<{ count: string }[]>('* as count'),
    runs(db)
      .where({ 'feed_run.feed_id': feedId })
      .orderBy([
        { column: 'feed_run.created_at', order: 'desc' },
        { column: 'feed_run.job_id', order: 'desc' },
      ])
      .offset(offset)
      .limit(limit),
  ]);
  return { rows: found.map(readRun), count: Number(counted[0]?.count ?? 0) };
}

/** The runs with these jobs, by the ids of the jobs. */
export async function findRuns(db: Db, jobIds: readonly string[]): Promise<ReadonlyMap<string, FeedRun>> {
  const found = jobIds.length === 0 ? [] : await runs(db).whereIn('feed_run.job_id', jobIds);
  return new Map(found.map((row) => [row.jobId, readRun(row)]));
}

type StoredRun = Omit<FeedRun, 'report' | 'delivery'> & { readonly report: object | null };

function runs(db: Db) {
  return db('feed_run')
    .leftJoin('job', 'job.id', 'feed_run.job_id')
    .select({
      ...{ jobId: 'feed_run.job_id', cause: 'feed_run.cause', lateByMinutes: 'feed_run.late_by_minutes' },
      ...{ status: 'job.status', statusMessage: 'job.status_message', report: 'feed_run.report' },
      ...{ createdAt: 'feed_run.created_at', completedAt: 'job.completed_at' },
    })
    .select<StoredRun[]>(db.raw(`${IMPORTS} AS imports`));
}

function readRun({ report, ...run }: StoredRun): FeedRun {
  if (report === null) return { ...run, report: null, delivery: null };
  // A run of a destination speaks of files that it has sent.
  if ('files' in report) return { ...run, report: null, delivery: deliveryReport.parse(report) };
  return { ...run, report: runReport.parse(report), delivery: null };
}
