/** Executes jobs whose rows came in their requests, alone or several in one transaction: planned, applied and finished. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { isLostRace } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type JsonRow, parseJsonRow } from '../formats/json/json-rows.js';
import { recordChunk } from '../jobs/apply-chunks.js';
import {
  afterPass,
  type ChunkResult,
  countOutcomes,
  countWaiting,
  explainSuperseded,
  FIRST_PASS,
  nextPass,
  OUTCOME,
  type Outcome,
  passOf,
} from '../jobs/chunk-result.js';
import { abortedEnd, DRY_RUN_END, endJob, endOf } from '../jobs/end-job.js';
import type { BatchedEnd, BatchedJob } from '../jobs/job-batch.js';
import type { ImportJob } from './import-jobs.js';
import { importsAtomically } from './import-options.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import { KeyTracker } from './pipeline/find-duplicates.js';
import { loadApplier } from './pipeline/load-applier.js';
import { type ApplyContext, type RowApplier, type RowReaderName, rowRange } from './pipeline/row-applier.js';

/**
 * Runs the job to its end. The transaction has begun the job and has locked its row.
 * @returns what to enqueue once it has committed, in addition to what the end of the job enqueues
 */
export async function runInlineJob(
  trx: Knex.Transaction,
  job: ImportJob,
  definitionsVersion: number,
  reader: RowReaderName,
): Promise<readonly OutboxEntry[]> {
  const applier = await loadApplier(trx, job, definitionsVersion, null);
  const { options } = job;
  const input = await readInput(trx, job.id);
  if (importsAtomically(options)) await trx.raw('SAVEPOINT before_job');
  const siteWasEmpty = job.kind === 'item' && (await siteIsEmpty(trx, job.site_id));
  const result = await applyInput(trx, applier, { job, input }, siteWasEmpty, reader);
  const counts = countOutcomes(result.outcomes);
  const aborted = options.onError === 'abort' && counts.failed > 0;
  if (aborted || options.validateOnly) await trx.raw('ROLLBACK TO SAVEPOINT before_job');
  const chunk = { job_id: job.id, idx: 0, wave: 0, outcomes: null, row_count: job.total_count ?? 0 };
  await recordChunk(trx, chunk, aborted && !options.validateOnly ? nothingApplied(result) : result);
  if (aborted && !options.validateOnly) {
    const undone = { created: 0, updated: 0, unchanged: 0, failed: counts.failed };
    await endJob(trx, job.id, { ...abortedEnd(counts.failed), counts: undone });
    return [];
  }
  await endJob(trx, job.id, { ...(options.validateOnly ? DRY_RUN_END : endOf(counts)), counts });
  return result.outboxEntries ?? [];
}

/** The input of one job of a request. */
type InlineJob = Pick<BatchedJob<ImportJob>, 'job' | 'input'>;

/** Applies the rows of one job, whatever they refer to. */
async function applyInput(
  trx: Knex.Transaction,
  applier: RowApplier,
  { job, input }: InlineJob,
  siteWasEmpty: boolean,
  reader: RowReaderName,
): Promise<ChunkResult> {
  const keys = new KeyTracker(applier);
  const read = await readAll(applier, keys, input, reader);
  const reserved = await applier.reserve(trx, rowRange(null, job.total_count ?? 0));
  const duplicates = keys.superseded();
  const context = { jobId: job.id, duplicates, reserved, siteWasEmpty, guarded: true };
  const result = await applyInPasses(trx, applier, read, context);
  applier.done(read);
  return duplicates.size > 0 ? { ...result, failures: explainSuperseded(result.failures) } : result;
}

/** The result of an aborted job: its failures remain, and all other rows count as not applied. */
function nothingApplied({ outcomes, failures }: ChunkResult): ChunkResult {
  const isFailure = (outcome: string) => outcome === OUTCOME.failed || outcome === OUTCOME.duplicate;
  return { outcomes: outcomes.map((outcome) => (isFailure(outcome) ? outcome : OUTCOME.deferred)), failures };
}

/** Reads the rows and collects their keys; an applier that reads bytes needs the keys before any row is parsed. */
async function readAll(applier: RowApplier, keys: KeyTracker, input: string, reader: RowReaderName): Promise<unknown> {
  if (applier.keyField === undefined)
    return applier.read({ format: 'JSON', rows: keys.track(parseLines(input)) }, { reader });
  const bytes = Buffer.from(input);
  await keys.trackLines(bytes, applier.keyField);
  return readLines(applier, bytes, input, reader);
}

function readLines(applier: RowApplier, bytes: Buffer, input: string, reader: RowReaderName): Promise<unknown> {
  return applier.read({ format: 'JSON', rows: parseLines(input), source: { bytes, firstRow: 1 } }, { reader });
}

/** The elements of a request, as rows numbered from 1; each is parsed when the iterator reaches it. */
export async function readInlineRows(db: Db, jobId: string): Promise<Iterable<JsonRow>> {
  return parseLines(await readInput(db, jobId));
}

async function readInput(db: Db, jobId: string): Promise<string> {
  const chunk: { input: string | null } | undefined = await db('job_chunk')
    .where({ job_id: jobId, idx: 0 })
    .first('input');
  return chunk?.input ?? '';
}

function* parseLines(text: string): Generator<JsonRow> {
  let row = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = end < 0 ? text.slice(start) : text.slice(start, end);
    yield parseJsonRow(++row, line);
    start = end < 0 ? text.length : end + 1;
  }
}

/** Applies rows that refer to other rows of the same input in later passes. */
async function applyInPasses(
  trx: Knex.Transaction,
  applier: RowApplier,
  read: unknown,
  context: Omit<ApplyContext, 'pass'>,
): Promise<ChunkResult> {
  const first = await applier.apply(trx, read, { ...context, pass: FIRST_PASS });
  let waiting = countWaiting(first.outcomes);
  if (waiting === 0) return first;
  let outcomes = first.outcomes.join('');
  const failures = [...first.failures];
  const outboxEntries = [...(first.outboxEntries ?? [])];
  for (let number = nextPass(0, 0, waiting); number !== null; ) {
    const pass = passOf(number, outcomes);
    const result = await applier.apply(trx, read, { ...context, siteWasEmpty: false, pass });
    failures.push(...result.failures);
    outboxEntries.push(...(result.outboxEntries ?? []));
    outcomes = afterPass(pass, result.outcomes);
    const waited = waiting;
    waiting = countWaiting(outcomes);
    number = nextPass(number, waited, waiting);
  }
  failures.sort((a, b) => a.row - b.row);
  return { outcomes: [...outcomes] as Outcome[], failures, outboxEntries };
}

/** What came of a batch within its transaction. */
export interface AppliedBatch {
  readonly ends: readonly BatchedEnd[];
  /** What to enqueue once the transaction has committed, besides what the ends ask for. */
  readonly outboxEntries: readonly OutboxEntry[];
  /** A job that could not be executed here; it and those after it are still to be executed. */
  readonly failed: BatchedJob<ImportJob> | null;
}

/**
 * Applies the rows of a batch's jobs, in order. Jobs whose rows cannot influence each other are applied together: one
 * statement reads, and one writes, the rows of all of them. A job that fails is undone by itself, and ends the batch.
 */
export async function applyBatch(
  trx: Knex.Transaction,
  jobs: readonly BatchedJob<ImportJob>[],
  definitionsVersion: number,
  reader: RowReaderName,
): Promise<AppliedBatch> {
  const ends: BatchedEnd[] = [];
  const outboxEntries: OutboxEntry[] = [];
  for (const group of await groupsOf(trx, jobs, definitionsVersion)) {
    const results = await applyGroup(trx, group, reader);
    for (const [index, result] of results.entries()) {
      const member = group[index];
      if (member === undefined) continue;
      const { job, position } = member.batched;
      ends.push({ jobId: job.id, position, rowCount: job.total_count ?? 0, result });
      outboxEntries.push(...(result.outboxEntries ?? []));
    }
    const failed = group[results.length]?.batched ?? null;
    if (failed !== null) return { ends, outboxEntries, failed };
  }
  return { ends, outboxEntries, failed: null };
}

interface GroupMember {
  readonly batched: BatchedJob<ImportJob>;
  readonly applier: RowApplier;
}

/** Puts neighbours into one group whose rows may be applied in one call: no two of them have the same key. */
async function groupsOf(
  trx: Knex.Transaction,
  jobs: readonly BatchedJob<ImportJob>[],
  definitionsVersion: number,
): Promise<GroupMember[][]> {
  const groups: GroupMember[][] = [];
  let taken = new Set<string>();
  let joinKey: string | undefined;
  for (const batched of jobs) {
    const applier = await loadApplier(trx, batched.job, definitionsVersion, null);
    const keys = jobs.length === 1 ? null : await distinctKeys(applier, batched.input);
    const joins = keys !== null && applier.joinKey !== undefined;
    const group = groups.at(-1);
    if (group !== undefined && joins && applier.joinKey === joinKey && keys.every((key) => !taken.has(key))) {
      group.push({ batched, applier });
      for (const key of keys) taken.add(key);
    } else {
      groups.push([{ batched, applier }]);
      taken = new Set(keys ?? []);
      joinKey = joins ? applier.joinKey : undefined;
    }
  }
  return groups;
}

/** The keys of a job's rows; null when two rows have the same. */
async function distinctKeys(applier: RowApplier, input: string): Promise<string[] | null> {
  if (applier.joinKey === undefined || applier.keyField === undefined) return null;
  const keys = new KeyTracker(applier);
  await keys.trackLines(Buffer.from(input), applier.keyField);
  return keys.superseded().size > 0 ? null : [...keys.keys()];
}

/** @returns the results of the jobs in order; the job after the last result failed, and nothing of it is applied */
async function applyGroup(
  trx: Knex.Transaction,
  group: readonly GroupMember[],
  reader: RowReaderName,
): Promise<ChunkResult[]> {
  if (group.length > 1) {
    const joint = await undoneIfFailed(trx, () => applyJointly(trx, group, reader));
    if (joint !== null) return joint;
  }
  const results: ChunkResult[] = [];
  for (const { batched, applier } of group) {
    const result = await undoneIfFailed(trx, () => applyInput(trx, applier, batched, false, reader));
    if (result === null) break;
    results.push(result);
  }
  return results;
}

/** Applies the rows of several jobs as if they were one job's. @returns null when some refer to others */
async function applyJointly(
  trx: Knex.Transaction,
  group: readonly GroupMember[],
  reader: RowReaderName,
): Promise<ChunkResult[] | null> {
  const [first] = group;
  if (first === undefined) return [];
  const { applier, batched } = first;
  const input = group.map((member) => member.batched.input).join('\n');
  const read = await readLines(applier, Buffer.from(input), input, reader);
  const context = { jobId: batched.job.id, duplicates: new Map(), reserved: {}, siteWasEmpty: false, guarded: true };
  const result = await applier.apply(trx, read, { ...context, pass: FIRST_PASS });
  applier.done(read);
  return countWaiting(result.outcomes) > 0 ? null : shareOut(group, result);
}

/** Gives each job its part of a joint result, its rows numbered from 1. */
function shareOut(group: readonly GroupMember[], { outcomes, failures }: ChunkResult): ChunkResult[] {
  let before = 0;
  return group.map(({ batched: { job } }) => {
    const first = before;
    before += job.total_count ?? 0;
    const own = failures.filter(({ row }) => row > first && row <= before);
    return {
      outcomes: outcomes.slice(first, before),
      failures: own.map((failure) => ({ ...failure, row: failure.row - first })),
    };
  });
}

/** @returns null when the work threw, or answered null: nothing of it is left in the transaction */
async function undoneIfFailed<T>(trx: Knex.Transaction, work: () => Promise<T | null>): Promise<T | null> {
  await trx.raw('SAVEPOINT before_jobs');
  try {
    const done = await work();
    if (done !== null) return done;
  } catch (error) {
    if (isLostRace(error)) throw error;
  }
  await trx.raw('ROLLBACK TO SAVEPOINT before_jobs');
  return null;
}
