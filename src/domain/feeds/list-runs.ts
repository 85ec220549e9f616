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
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** The newest first. */
export async function listRuns(db: Db, feedId: string, { offset, limit }: PageRequest): Promise<Page<FeedRun>> {
  const [counted, found] = await Promise.all([
    db('feed_run').where({ feed_id: feedId }).count<{ count: string }[]>('* as count'),
    db('feed_run')
      .leftJoin('job', 'job.id', 'feed_run.job_id')
      .where({ 'feed_run.feed_id': feedId })
      .orderBy([
        { column: 'feed_run.created_at', order: 'desc' },
        { column: 'feed_run.job_id', order: 'desc' },
      ])
      .offset(offset)
      .limit(limit)
      .select<(Omit<FeedRun, 'report' | 'delivery'> & { readonly report: object | null })[]>({
        ...{ jobId: 'feed_run.job_id', cause: 'feed_run.cause', lateByMinutes: 'feed_run.late_by_minutes' },
        ...{ status: 'job.status', statusMessage: 'job.status_message', report: 'feed_run.report' },
        ...{ createdAt: 'feed_run.created_at', completedAt: 'job.completed_at' },
      }),
  ]);
  const rows = found.map(({ report, ...run }): FeedRun => {
    if (report === null) return { ...run, report: null, delivery: null };
    // A run of a destination speaks of files that it has sent.
    if ('files' in report) return { ...run, report: null, delivery: deliveryReport.parse(report) };
    return { ...run, report: runReport.parse(report), delivery: null };
  });
  return { rows, count: Number(counted[0]?.count ?? 0) };
}
