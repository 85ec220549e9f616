/** Begins jobs when their turn has come. One job that begins by itself is a batch of one. */
import type { Knex } from 'knex';
import type { JobRow } from '../../../../db/models/job.js';
import { type LoadedJob, parseJob } from '../../job-model/job-type.js';
import type { BeginHooks } from '../model/begin-hooks.js';
import type { BegunJob, BegunSite } from '../model/begun-job.js';
import type { FoundBatch } from '../model/found-batch.js';
import { type LockedRow, lockJobs, readRows } from '../order/lock-jobs.js';
import { holdWaiting } from '../order/site-order.js';
import { BEGINS_AT } from '../steps/times.js';

const MAX_ROWS = 1_000;
/** The rows of all sites of a batch. Sites whose jobs have no room are left to another one. */
const MAX_ROWS_OF_ALL = 2_000;
/** The bytes of these rows, of one site and of all: a row may have more than a thousand values. */
const MAX_BYTES = 256 * 1024;
const MAX_BYTES_OF_ALL = 512 * 1024;

interface BegunJobs<Job extends LoadedJob> {
  /** In the order of their ids. A site of which another job begins at this moment is not among them. */
  readonly sites: readonly BegunSite<Job>[];
  /** The sites whose job is held because another transaction is at it: call releaseDue for these after the commit. */
  readonly heldSiteIds: readonly number[];
}

/**
 * Begins jobs within `trx`, which then holds the locks of their rows and the locks under which jobs of their sites begin.
 * What was seen without these locks still holds under them: jobs ahead of them can only end, and a job behind an exclusive
 * one of them cannot have begun. The rows of requests are applied in the same transaction, and the end of their jobs records
 * their beginning too; that of a file is recorded here.
 * @param waits false: it waits for none of these locks
 */
export async function beginJobs<Job extends LoadedJob>(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  hooks: BeginHooks<Job>,
  waits = false,
): Promise<BegunJobs<Job>> {
  const rows = await lockJobs(trx, batches, waits);
  const held = batches.filter(({ siteId }) => !rows.has(siteId));
  const locked = batches.filter(({ siteId }) => rows.has(siteId)).sort((a, b) => a.siteId - b.siteId);
  const begun: { batch: FoundBatch; jobs: BegunJob<Job>[]; first: Job }[] = [];
  const crowdedOut: FoundBatch[] = [];
  let rowsOfAll = 0;
  let bytesOfAll = 0;
  for (const batch of locked) {
    if (rowsOfAll >= MAX_ROWS_OF_ALL || bytesOfAll >= MAX_BYTES_OF_ALL) {
      // Released with a new token when this transaction has committed: its queue job would have the id of the present one.
      crowdedOut.push(batch);
      continue;
    }
    const { jobs, rowCount, bytes } = await jobsOf(trx, batch, rows.get(batch.siteId) ?? [], hooks);
    rowsOfAll += rowCount;
    bytesOfAll += bytes;
    // Its queue job ends with this transaction, so that another has to be enqueued once its turn has come.
    if (!jobs.some(({ job }) => job.id === batch.own.jobId)) held.push(batch);
    if (jobs[0] !== undefined) begun.push({ batch, jobs, first: jobs[0].job });
  }
  for (const { siteId, own } of [...held, ...crowdedOut]) await holdWaiting(trx, siteId, own);
  const versions = await versionsOf(trx, begun, hooks);
  return {
    sites: begun.map(({ batch: { siteId }, jobs }, nth) => ({ siteId, jobs, definitionsVersion: versions[nth] ?? 0 })),
    heldSiteIds: held.map(({ siteId }) => siteId),
  };
}

/** The version of the definitions that the jobs of each site use. Records that jobs with files have begun. */
async function versionsOf<Job extends LoadedJob>(
  trx: Knex.Transaction,
  begun: readonly { readonly batch: FoundBatch; readonly first: Job }[],
  hooks: BeginHooks<Job>,
): Promise<readonly number[]> {
  const beginning = begun.filter(({ first }) => first.definitions_version === null);
  const fixed = await hooks.fixDefinitions(
    trx,
    beginning.map(({ first }) => first),
  );
  const versions = new Map(beginning.map(({ first }, nth) => [first.id, fixed[nth] ?? 0]));
  for (const { batch, first } of beginning) {
    if (first.input_file_id !== null) await recordBegin(trx, first.id, versions.get(first.id) ?? 0, batch.concurrent);
  }
  return begun.map(({ first }) => first.definitions_version ?? versions.get(first.id) ?? 0);
}

async function recordBegin(trx: Knex.Transaction, jobId: string, version: number, concurrent: boolean): Promise<void> {
  await trx.raw(
    `WITH begun AS (
       UPDATE job SET status = 'IN_PROGRESS', started_at = ${BEGINS_AT}, definitions_version = :version,
         shared = :concurrent, status_message = NULL, updated_at = now()
       WHERE id = :jobId RETURNING site_id, line_no
     )
     UPDATE job_order SET state = 'r', concurrent = :concurrent
     FROM begun WHERE job_order.site_id = begun.site_id AND job_order.position = begun.line_no`,
    { jobId, version, concurrent },
  );
}

/** Returns the jobs of one site that are executed: a prefix of the batch, where they have to run in order. */
async function jobsOf<Job extends LoadedJob>(
  trx: Knex.Transaction,
  { facts, entries, concurrent }: FoundBatch,
  rows: readonly LockedRow[],
  hooks: BeginHooks<Job>,
): Promise<{ readonly jobs: BegunJob<Job>[]; readonly rowCount: number; readonly bytes: number }> {
  const jobs: BegunJob<Job>[] = [];
  let rowCount = 0;
  let bytes = 0;
  for (const locked of rows) {
    const { input, input_bytes: length, nth, ...row } = locked;
    // A job that is locked, or was cancelled, is not passed over by those that have to come after it.
    if (!concurrent && nth !== jobs.length) break;
    const position = entries[nth]?.position;
    if (position === undefined) break;
    const total = row.total_count ?? 0;
    if (jobs.length > 0 && (rowCount + total > MAX_ROWS || bytes + (length ?? 0) > MAX_BYTES)) break;
    rowCount += total;
    bytes += length ?? 0;
    jobs.push({
      job: parseJob(hooks.types, { ...facts, ...row } as JobRow),
      position,
      input: await readRows(trx, locked),
    });
  }
  return { jobs, rowCount, bytes };
}
