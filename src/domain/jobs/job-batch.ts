/**
 * Small jobs, executed together: one transaction begins those of any sites, applies their rows and ends them. Their
 * order, their fencing tokens and their results are those of jobs that are executed one by one.
 */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import { JOB_COLUMNS, type JobRow } from '../../../db/models/job.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type ChunkResult, countOutcomes } from '../kernel/chunk-result.js';
import { InvariantViolation, isCurrentToken } from '../kernel/invariant.js';
import { firstEntries } from '../webhooks/emit-events.js';
import { checkChunk } from './chunks/chunk-window.js';
import { recordedWarnings, recordFailures, summariseErrors, warningsOf } from './chunks/record-errors.js';
import { checkTotal, endOf, JOB_ENDED_CHANNEL } from './end-job.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import { type BeginHooks, releaseDueOf, type StepPayload, suspicionOf } from './job-steps.js';
import { type LoadedJob, parseJob } from './job-type.js';
import { frontOf, holdWaiting, planStep, sweep, sweepsAt } from './order/site-order.js';
import { batchOf, type FrontEntry } from './order/turns.js';

/** Jobs of one site in a batch, and the rows of all of them: a batch holds a site for a tenth of a second or so. */
const MAX_JOBS = 100;
const MAX_ROWS = 1_000;
/** The rows of all sites of a batch. Sites whose jobs have no room are left to another one. */
const MAX_ROWS_OF_ALL = 2_000;
/** The characters of these rows, of one site and of all: a row may have more than a thousand values. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_CHARACTERS_OF_ALL = 512 * 1024;
/** A job that has to wait longer for another transaction's lock leaves the batch. */
const MAX_WAIT_MS = 250;

/** The jobs of one site that may be executed together, as they were seen before anything is locked. */
export interface FoundBatch {
  readonly siteId: number;
  readonly accountId: string;
  /** The step that is due: its queue job ends with the batch. */
  readonly own: StepPayload;
  /** What `besides` selects. */
  readonly facts: object;
  readonly entries: readonly FrontEntry[];
  /** All of them may run beside other concurrent jobs. */
  readonly concurrent: boolean;
}

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

interface FoundBatches {
  readonly batches: readonly FoundBatch[];
  /** Jobs that have to be executed by themselves: large ones, and those whose turn has not come. */
  readonly alone: readonly StepPayload[];
}

/**
 * Finds the jobs that can be executed together with those whose plan steps are due. Steps whose fencing token is no
 * longer current are in neither list.
 */
export async function findBatches<Job extends LoadedJob>(
  db: Db,
  steps: readonly StepPayload[],
  hooks: BeginHooks<Job>,
): Promise<FoundBatches> {
  // The facts of `besides` are those of the site: they are found once, and not for each job of the front.
  const result = await prepared<{ rows: FrontRow[] }>(
    db,
    `WITH own AS MATERIALIZED (
       SELECT DISTINCT ON (job.site_id) job.id AS own_id, job.site_id, job.account_id, ${hooks.besides}
       FROM unnest(:ids::text[]) AS given (id)
       CROSS JOIN LATERAL (
         SELECT * FROM job WHERE id = given.id COLLATE "C" AND step = 'plan' AND completed_at IS NULL AND started_at IS NULL
         LIMIT 1) AS job
       ORDER BY job.site_id, job.line_no
     )
     SELECT own.*, front.* FROM own CROSS JOIN LATERAL (${frontOf('own.site_id', MAX_JOBS)}) AS front
     ORDER BY own.site_id, front.position`,
    { ids: steps.map(({ jobId }) => jobId) },
  );
  const fronts = new Map<number, typeof result.rows>();
  for (const row of result.rows) {
    const front = fronts.get(row.site_id);
    if (front === undefined) fronts.set(row.site_id, [row]);
    else front.push(row);
  }
  const tokens = new Map(steps.map(({ jobId, dispatch }) => [jobId, dispatch]));
  const batches: FoundBatch[] = [];
  const together = new Set<string>();
  for (const front of fronts.values()) {
    const batch = batchOfFront(front, tokens, hooks);
    if (batch === null) continue;
    batches.push(batch);
    for (const { jobId } of batch.entries) together.add(jobId);
  }
  const suspects = new Set(result.rows.flatMap(({ jobId, suspect }) => (suspect ? [jobId] : [])));
  const others = steps.flatMap((step) =>
    together.has(step.jobId) ? [] : [{ ...step, ...suspicionOf(suspects.has(step.jobId)) }],
  );
  const current = new Map(result.rows.map(({ jobId, dispatch }) => [jobId, dispatch]));
  const isCurrent = ({ jobId, dispatch }: StepPayload) =>
    isCurrentToken(`job ${jobId}`, dispatch, current.get(jobId) ?? dispatch);
  return { batches, alone: others.filter(isCurrent) };
}

interface FrontRow extends FrontEntry {
  readonly own_id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly suspect: boolean;
}

/** @param front rows of one site, in order */
function batchOfFront<Job extends LoadedJob>(
  front: readonly FrontRow[],
  tokens: ReadonlyMap<string, number>,
  hooks: BeginHooks<Job>,
): FoundBatch | null {
  const found = front.find((entry) => entry.jobId === entry.own_id);
  const held = found === undefined ? undefined : tokens.get(found.jobId);
  if (found === undefined || held === undefined || !found.batchable) return null;
  if (!isCurrentToken(`job ${found.jobId}`, held, found.dispatch)) return null;
  const alone = hooks.runsAlone(found);
  const entries = batchOf(
    front.map(({ position, jobId, state, concurrent, batchable, dispatch }) => ({
      ...{ position, jobId, state, batchable, dispatch },
      concurrent: concurrent && !alone,
    })),
    found.position,
  );
  if (entries.length === 0) return null;
  const {
    own_id: _,
    suspect: __,
    site_id: siteId,
    account_id: accountId,
    position,
    jobId,
    state,
    concurrent,
    batchable,
    dispatch,
    ...facts
  } = found;
  const own = { jobId, dispatch };
  return { siteId, accountId, own, facts, entries, concurrent: entries.every((entry) => entry.concurrent) };
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

/** What came of one job of a batch. */
export interface BatchedEnd {
  readonly jobId: string;
  readonly kind: string;
  readonly acceptedAt: Date;
  readonly siteId: number;
  readonly definitionsVersion: number;
  readonly position: number;
  readonly rowCount: number;
  readonly result: ChunkResult;
}

/**
 * Records the results of a batch's jobs, and ends them. They leave the ordering queue of their site with the commit, and
 * their ends are announced by it: transactions that notify commit one after another, but a batch is one for many jobs.
 * @returns the events that were emitted
 * @throws InvariantViolation when a job has ended already, or its counts do not add up
 */
export async function endBatch(trx: Knex.Transaction, ends: readonly BatchedEnd[]): Promise<readonly string[]> {
  if (ends.length === 0) return [];
  const given = [];
  for (const { jobId, rowCount, result, definitionsVersion } of ends) {
    const outcomes = checkChunk({ job_id: jobId, idx: 0, wave: 0, outcomes: null, row_count: rowCount }, result);
    const counts = countOutcomes(outcomes);
    checkTotal(jobId, counts, rowCount);
    let errorSummary: string | null = null;
    if (counts.failed > 0) {
      await recordFailures(trx, jobId, result.failures);
      errorSummary = JSON.stringify(await summariseErrors(trx, jobId));
    }
    const { status, statusMessage = null } = endOf(counts);
    const noted = recordedWarnings(null, result.warnings);
    const warnings = { noted, warnings: warningsOf(noted, counts) };
    const judged = { outcomes, ...counts, status, message: statusMessage, errors: errorSummary, ...warnings };
    // A request that waits for a job of which all rows were applied need not read it.
    const notice = result.failures.length === 0 ? `${jobId} ${result.outcomes.join('')}` : jobId;
    given.push({ id: jobId, version: definitionsVersion, notice, ...judged });
  }
  const result = await prepared<{ rows: (Subscribers & { id: string })[] }>(
    trx,
    `WITH given AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset(:given::jsonb) AS ended (
         id text, version integer, outcomes text, created integer, updated integer, unchanged integer, failed integer, status text,
         message text, errors text, notice text, noted jsonb, warnings jsonb)
     ), applied AS (
       UPDATE job_chunk SET status = 'done', outcomes = given.outcomes, created_count = created, updated_count = updated,
         unchanged_count = unchanged, error_count = failed, warnings = given.noted, done_at = now()
       FROM given CROSS JOIN LATERAL (
         SELECT ctid AS place FROM job_chunk WHERE job_id = given.id COLLATE "C" AND idx = 0 LIMIT 1) AS held
       WHERE job_chunk.ctid = held.place
     ), left_order AS (
       -- No two sites have the same position.
       UPDATE job_order SET state = 'e'
       WHERE site_id = ANY (:siteIds::integer[]) AND position = ANY (:positions::bigint[])
     )
     UPDATE job SET status = given.status, status_message = given.message, step = NULL,
       started_at = greatest(now(), job.created_at), completed_at = greatest(statement_timestamp(), job.created_at), updated_at = now(), definitions_version = given.version,
       created_count = created, updated_count = updated, unchanged_count = unchanged, error_count = failed,
       processed_count = created + updated + unchanged + failed, error_summary = coalesce(given.errors::jsonb, error_summary),
       warnings = given.warnings
     FROM given CROSS JOIN LATERAL (SELECT ctid AS place FROM job WHERE id = given.id COLLATE "C" LIMIT 1) AS held
     WHERE job.ctid = held.place AND job.completed_at IS NULL
     RETURNING job.id, ${SUBSCRIBERS}, pg_notify(:channel, given.notice)`,
    {
      channel: JOB_ENDED_CHANNEL,
      given: JSON.stringify(given),
      siteIds: [...new Set(ends.map(({ siteId }) => siteId))],
      positions: ends.map(({ position }) => position),
    },
  );
  if (result.rows.length !== ends.length) {
    throw new InvariantViolation(
      `${result.rows.length} of the ${ends.length} jobs of a batch could end: ${ends.map(({ jobId }) => jobId).join(', ')}`,
    );
  }
  const eventIds: string[] = [];
  for (const { id, ...subscribers } of result.rows) eventIds.push(...(await emitJobEnd(trx, id, subscribers)));
  return eventIds;
}

/**
 * Takes a job out of its batch, within the batch's transaction: it is executed by itself, by another queue job.
 * @returns what to enqueue once the transaction has committed
 */
export async function leaveBatch(trx: Knex.Transaction, siteId: number, position: number): Promise<OutboxEntry[]> {
  const result = await trx.raw(
    `UPDATE job_order SET batchable = false, state = 'q', dispatch = dispatch + 1, dispatched_at = now()
     WHERE site_id = :siteId AND position = :position
     RETURNING job_id AS "jobId", dispatch`,
    { siteId, position },
  );
  return result.rows.map((payload: StepPayload) => ({ queue: 'plan', payload }));
}

/**
 * Holds the jobs whose step was due but which the batch had no time for: their queue jobs end with it. followBatch
 * releases them under new tokens.
 * @param executed the ids of the jobs that have ended or have left the batch
 */
export async function holdUnfinished(
  trx: Knex.Transaction,
  batches: readonly FoundBatch[],
  executed: ReadonlySet<string>,
): Promise<void> {
  for (const { siteId, own } of batches) if (!executed.has(own.jobId)) await holdWaiting(trx, siteId, own);
}

/**
 * Has the jobs that wait at the front of a site executed one by one.
 * @param suspect a process has ended while it executed them together, and any of them may be the reason: each of them is
 *   executed in a process of its own
 */
export async function splitBatch(
  db: Db,
  { siteId, entries }: Pick<FoundBatch, 'siteId' | 'entries'>,
  suspect: boolean,
): Promise<void> {
  await db.raw(
    `UPDATE job_order SET batchable = false, suspect = suspect OR :suspect
     WHERE site_id = :siteId AND position = ANY (:positions::bigint[])`,
    {
      siteId,
      suspect,
      positions: entries.map(({ position }) => position),
    },
  );
}

/**
 * Releases the jobs that were held for those of a batch, after its commit. See followEnd.
 * @param siteIds the sites of the batch, without those whose job is held because another transaction is at it
 * @param eventIds the events that endBatch emitted
 * @returns what to enqueue: the first deliveries of the events, too
 */
export async function followBatch(
  db: Db,
  siteIds: readonly number[],
  ended: readonly BatchedEnd[],
  eventIds: readonly string[],
): Promise<OutboxEntry[]> {
  const [entries, released] = await Promise.all([
    eventIds.length === 0 ? [] : firstEntries(db, eventIds),
    releaseDueOf(db, siteIds),
  ]);
  const swept = ended.flatMap(({ siteId, position }) => (sweepsAt(position) ? [siteId] : []));
  if (swept.length > 0) await sweep(db, [...new Set(swept)]);
  return [...released, ...entries];
}

/** Returns the outbox entries of steps that are to be executed by themselves. */
export function enqueueAlone(steps: readonly StepPayload[]): OutboxEntry[] {
  return steps.map((step) => planStep(step, false));
}
