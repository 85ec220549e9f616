/** Adds to a job what it waits for and how far it is. */
import type { Db } from '../../../../db/connection.js';
import { Job as JobModel, type JobRow } from '../../../../db/models/job.js';
import { type Blocker, findBlocker } from '../order/site-order.js';

/** A job as it was read, with the names of its input file and of those who have sent it and decided about it. */
export type FoundJob = JobRow & {
  readonly input_file_name: string | null;
  readonly actor_name: string | null;
  readonly decider_name: string | null;
};

export function withNames(db: Db) {
  // A file that is only looked at is no input file.
  const fileId = "coalesce(job.input_file_id, CASE WHEN job.kind = 'inspection' THEN job.options ->> 'fileId' END)";
  const file = `(SELECT name FROM file WHERE file.id = ${fileId}) AS input_file_name`;
  const names = `${file}, ${nameOf('job.actor')} AS actor_name, ${nameOf(DECIDER)} AS decider_name`;
  return JobModel.query(db).select('job.*', db.raw(names)).castTo<FoundJob[]>();
}

const DECIDER = "(job.options #>> '{approval,by}')";

/** SQL for the name of the token of an actor, "token:5f…", or of the feed, "feed:5f…". */
function nameOf(actor: string): string {
  return `coalesce((SELECT name FROM access_token AS token
    WHERE token.id = substr(${actor}, 7) AND ${actor} LIKE 'token:%' AND token.account_id = job.account_id),
    (SELECT name FROM feed
    WHERE feed.id = substr(${actor}, 6) AND ${actor} LIKE 'feed:%' AND feed.account_id = job.account_id))`;
}

/** Adds to jobs of one site that have not ended what is not in their rows: their progress, and what they wait for. */
export async function withState<Row extends JobRow>(db: Db, jobs: readonly Row[]): Promise<Row[]> {
  const rows = await withProgress(db, jobs);
  const [waiting] = rows.filter(isScheduled);
  if (waiting === undefined) return rows;
  const blocker = await findBlocker(db, waiting.site_id);
  return blocker === undefined ? rows : rows.map((job) => ({ ...job, status_message: messageOf(job, blocker) }));
}

function isScheduled({ status, line_no }: JobRow): boolean {
  return status === 'SCHEDULED' && line_no !== null;
}

/** The status message of a job of a site in which an earlier job keeps the later ones waiting. */
function messageOf(job: JobRow, blocker: Blocker): string | null {
  const waits = isScheduled(job) && (job.line_no ?? 0) > blocker.position && !(job.shared && blocker.concurrent);
  if (!waits || job.status_message !== null) return job.status_message;
  return blocker.state === 'p'
    ? `waits, because job ${blocker.jobId} has failed; POST /jobs/${blocker.jobId}/actions/resume lets it go on`
    : `waits for job ${blocker.jobId}, which ${blocker.message}`;
}

async function withProgress<Row extends JobRow>(db: Db, jobs: readonly Row[]): Promise<Row[]> {
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
      db.raw("bool_or(status = 'dispatched' AND outages > 0) AS waits"),
    );
  const byJob = new Map(sums.map((sum) => [sum.job_id, sum]));
  return jobs.map((job) => {
    const sum = byJob.get(job.id);
    if (sum === undefined) return job;
    const { created_count, updated_count, unchanged_count, error_count, done_at } = sum;
    const processed_count = created_count + updated_count + unchanged_count + error_count;
    const counts = { created_count, updated_count, unchanged_count, error_count, processed_count };
    // The chunk that has waited may have been applied since then.
    const status_message = job.step === 'apply' && !sum.waits ? null : job.status_message;
    return { ...job, ...counts, status_message, updated_at: done_at ?? job.updated_at };
  });
}

interface Progress {
  readonly job_id: string;
  readonly created_count: number;
  readonly updated_count: number;
  readonly unchanged_count: number;
  readonly error_count: number;
  readonly done_at: Date | null;
  /** A chunk waits for an outage to end. */
  readonly waits: boolean;
}
