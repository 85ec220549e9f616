/** Executes a job whose rows came in its request in one transaction: it is planned, applied and finished. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { JsonRow } from '../formats/json/plan-jsonl.js';
import { recordChunk } from '../jobs/apply-chunks.js';
import {
  afterPass,
  type ChunkResult,
  countOutcomes,
  countWaiting,
  FIRST_PASS,
  nextPass,
  OUTCOME,
  type Outcome,
  passOf,
} from '../jobs/chunk-result.js';
import { abortedEnd, DRY_RUN_END, endJob, endOf } from '../jobs/end-job.js';
import type { BatchedJob } from '../jobs/job-batch.js';
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
export async function applyInput(
  trx: Knex.Transaction,
  applier: RowApplier,
  { job, input }: InlineJob,
  siteWasEmpty: boolean,
  reader: RowReaderName,
): Promise<ChunkResult> {
  const keys = new KeyTracker(applier);
  const read = await readAll(applier, keys, input, reader);
  const reserved = await applier.reserve(trx, rowRange(null, job.total_count ?? 0));
  const context = { jobId: job.id, duplicates: keys.superseded(), reserved, siteWasEmpty, guarded: true };
  const result = await applyInPasses(trx, applier, read, context);
  applier.done(read);
  return result;
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

export function readLines(applier: RowApplier, bytes: Buffer, input: string, reader: RowReaderName): Promise<unknown> {
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
    yield { row: ++row, text: line, element: JSON.parse(line), problem: null };
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
