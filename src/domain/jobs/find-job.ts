/** Finds jobs of a site. */
import type { Db } from '../../../db/connection.js';
import { Job, type JobStatus } from '../../../db/models/job.js';
import type { SiteContext } from '../access/site-context.js';
import { DomainError } from '../kernel/errors.js';
import { isId } from '../kernel/identifier.js';
import type { Page, PageRequest } from '../kernel/paging.js';

/** A job with its counts as they stand: while it runs, those of its chunks that are done. */
export async function findJob(db: Db, siteId: number, jobId: string): Promise<Job> {
  const job = isId(jobId) ? await Job.query(db).findById(jobId).where({ site_id: siteId }) : undefined;
  if (job === undefined) {
    throw new DomainError(
      'not-found',
      'JOB_NOT_FOUND',
      `there is no job ${jobId.slice(0, 60)} in this account and stage`,
    );
  }
  return (await withProgress(db, [job]))[0] ?? job;
}

export interface JobFilter {
  readonly ids?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly status?: JobStatus | undefined;
}

/** Newest first. Under a `date` only jobs changed up to it. */
export async function listJobs(db: Db, site: SiteContext, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
  const query = Job.query(db).where({ site_id: site.siteId });
  if (site.date !== null) query.where('updated_at', '<=', site.date);
  if (filter.ids !== undefined) query.whereIn('id', [...filter.ids]);
  if (filter.types !== undefined) query.whereIn('type', [...filter.types]);
  if (filter.status !== undefined) query.where({ status: filter.status });
  const [count, rows] = await Promise.all([
    query.clone().resultSize(),
    query.clone().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(page.offset).limit(page.limit),
  ]);
  return { rows: await withProgress(db, rows), count };
}

async function withProgress(db: Db, jobs: readonly Job[]): Promise<Job[]> {
  const running = jobs.filter((job) => job.completed_at === null && job.started_at !== null).map((job) => job.id);
  if (running.length === 0) return [...jobs];
  const sums: Progress[] = await db('job_chunk')
    .whereIn('job_id', running)
    .groupBy('job_id')
    .select(
      'job_id',
      db.raw('sum(created_count)::integer AS created_count'),
      db.raw('sum(updated_count)::integer AS updated_count'),
      db.raw('sum(unchanged_count)::integer AS unchanged_count'),
      db.raw('sum(error_count)::integer AS error_count'),
      db.raw('max(done_at) AS done_at'),
    );
  const byJob = new Map(sums.map((sum) => [sum.job_id, sum]));
  return jobs.map((job) => {
    const sum = byJob.get(job.id);
    if (sum === undefined) return job;
    const { created_count, updated_count, unchanged_count, error_count, done_at } = sum;
    const processed_count = created_count + updated_count + unchanged_count + error_count;
    const counts = { created_count, updated_count, unchanged_count, error_count, processed_count };
    return job.$clone().$set({ ...counts, updated_at: done_at ?? job.updated_at });
  });
}

interface Progress {
  readonly job_id: string;
  readonly created_count: number;
  readonly updated_count: number;
  readonly unchanged_count: number;
  readonly error_count: number;
  readonly done_at: Date | null;
}
