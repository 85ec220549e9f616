/** Begins small jobs together. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../db/advisory-locks.js';
import { JOB_COLUMNS, type JobRow } from '../../../db/models/job.js';
import { prepared } from '../../../db/prepared.js';
import type { BeginHooks } from './begin-job.js';
import type { FoundBatch } from './find-batches.js';
import { type LoadedJob, parseJob } from './model/job-type.js';
import { holdWaiting } from './order/site-order.js';

const MAX_ROWS = 1_000;
/** The rows of all sites of a batch. Sites whose jobs have no room are left to another one. */
const MAX_ROWS_OF_ALL = 2_000;
/** The characters of these rows, of one site and of all: a row may have more than a thousand values. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_CHARACTERS_OF_ALL = 512 * 1024;
/** A job that has to wait longer for another transaction's lock leaves the batch. */
const MAX_WAIT_MS = 250;

/** A job of a batch, with its rows as they came in the request. */
export interface BatchedJob<Job extends LoadedJob> {
  readonly job: Job;
  readonly position: number;
  /** One JSON text a line. */
  readonly input: string;
}

/** The jobs of one site that a batch has begun. */
export interface BegunSite<Job extends LoadedJob> {
  readonly siteId: number;
  readonly jobs: readonly BatchedJob<Job>[];
  readonly definitionsVersion: number;
}

interface BegunBatch<Job extends LoadedJob> {
  /** In the order of their ids. A site of which another job begins at this moment is not among them. */
  readonly sites: readonly BegunSite<Job>[];
  /** The sites whose job is held because another transaction is at it: call releaseDueOf for these after the commit. */
  readonly heldSiteIds: readonly number[];
}

/**
 * Begins a batch within `trx`, which then holds the locks of its jobs' rows and the locks under which jobs of their sites
 * begin. What was seen without these locks still holds under them: jobs ahead of the batch can only end, and a job
 * behind an exclusive one of the batch cannot have begun. It waits for none of these locks.
 */
export async function beginBatch<Job extends LoadedJob>(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  hooks: BeginHooks<Job>,
): Promise<BegunBatch<Job>> {
  const rows = await lockSitesAndJobs(trx, batches);
  const held = batches.filter(({ siteId }) => !rows.has(siteId));
  const begun = batches.filter(({ siteId }) => rows.has(siteId)).sort((a, b) => a.siteId - b.siteId);
  const sites: { batch: FoundBatch; jobs: BatchedJob<Job>[] }[] = [];
  const crowdedOut: FoundBatch[] = [];
  let rowsOfAll = 0;
  let charactersOfAll = 0;
  for (const batch of begun) {
    if (rowsOfAll >= MAX_ROWS_OF_ALL || charactersOfAll >= MAX_CHARACTERS_OF_ALL) {
      // Released with a new token when this transaction has committed: its queue job would have the id of the present one.
      crowdedOut.push(batch);
      continue;
    }
    const { jobs, rowCount, characters } = jobsOf(batch, rows.get(batch.siteId) ?? [], hooks);
    rowsOfAll += rowCount;
    charactersOfAll += characters;
    // Its queue job ends with this transaction, so that another has to be enqueued once its turn has come.
    if (!jobs.some(({ job }) => job.id === batch.own.jobId)) held.push(batch);
    if (jobs.length > 0) sites.push({ batch, jobs });
  }
  for (const { siteId, own } of [...held, ...crowdedOut]) await holdWaiting(trx, siteId, own);
  const versions = await hooks.fixDefinitions(
    trx,
    sites.flatMap(({ jobs: [first] }) => (first === undefined ? [] : [first.job])),
  );
  return {
    sites: sites.map(({ batch: { siteId }, jobs }, nth) => ({
      ...{ siteId, jobs },
      definitionsVersion: versions[nth] ?? 0,
    })),
    heldSiteIds: held.map(({ siteId }) => siteId),
  };
}

interface LockedRow extends JobRow {
  readonly input: string | null;
  readonly nth: number;
}

const COLUMNS = JOB_COLUMNS.map((column) => `job.${column}`).join(', ');

/**
 * Locks sites, and in these the rows of waiting jobs, as far as no other transaction has locked them.
 * @returns the rows of each site whose lock is held, in the order of its jobs
 */
async function lockSitesAndJobs(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
): Promise<ReadonlyMap<number, LockedRow[]>> {
  // A job's row that was changed after the statement began is read again when it is locked.
  const result = await prepared<{ rows: (LockedRow & { own_site: number })[] }>(
    trx,
    `WITH site AS MATERIALIZED (
       SELECT "siteId", ids, CASE WHEN concurrent THEN pg_try_advisory_xact_lock_shared(${ADVISORY_LOCKS.begin}, "siteId")
           ELSE pg_try_advisory_xact_lock(${ADVISORY_LOCKS.begin}, "siteId") END AS locked,
         set_config('lock_timeout', '${MAX_WAIT_MS}ms', true)
       FROM jsonb_to_recordset(:sites::jsonb) AS site ("siteId" integer, concurrent boolean, ids jsonb)
     )
     SELECT site."siteId" AS own_site, member.*
     FROM site LEFT JOIN LATERAL (
       SELECT ${COLUMNS}, chunk.input, member.nth::integer - 1 AS nth, ${stepMark('job.id')}
       FROM jsonb_array_elements_text(site.ids) WITH ORDINALITY AS member (id, nth)
       CROSS JOIN LATERAL (
         SELECT * FROM job
         WHERE id = member.id COLLATE "C" AND step = 'plan' AND status = 'SCHEDULED' AND completed_at IS NULL
           AND started_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) AS job
       CROSS JOIN LATERAL (SELECT input FROM job_chunk WHERE job_id = job.id AND idx = 0 LIMIT 1) AS chunk
     ) AS member ON true
     WHERE site.locked`,
    {
      sites: JSON.stringify(
        batches.map(({ siteId, concurrent, entries }) => ({
          siteId,
          concurrent,
          ids: entries.map(({ jobId }) => jobId),
        })),
      ),
    },
  );
  const rows = new Map<number, LockedRow[]>();
  for (const { own_site: siteId, ...row } of result.rows.sort((a, b) => a.nth - b.nth)) {
    const others = rows.get(siteId) ?? [];
    rows.set(siteId, others);
    if (row.id !== null) others.push(row);
  }
  return rows;
}

/** Returns the jobs of one site that are executed: a prefix of the batch, where they have to run in order. */
function jobsOf<Job extends LoadedJob>(
  { facts, entries, concurrent }: FoundBatch,
  rows: readonly LockedRow[],
  hooks: BeginHooks<Job>,
): { readonly jobs: BatchedJob<Job>[]; readonly rowCount: number; readonly characters: number } {
  const jobs: BatchedJob<Job>[] = [];
  let rowCount = 0;
  let characters = 0;
  for (const { input, nth, ...row } of rows) {
    // A job that is locked, or was cancelled, is not passed over by those that have to come after it.
    if (!concurrent && nth !== jobs.length) break;
    const position = entries[nth]?.position;
    if (position === undefined || row.input_file_id !== null) break;
    const total = row.total_count ?? 0;
    const length = input?.length ?? 0;
    if (jobs.length > 0 && (rowCount + total > MAX_ROWS || characters + length > MAX_CHARACTERS)) break;
    rowCount += total;
    characters += length;
    jobs.push({ job: parseJob(hooks.types, { ...facts, ...row } as JobRow), position, input: input ?? '' });
  }
  return { jobs, rowCount, characters };
}
