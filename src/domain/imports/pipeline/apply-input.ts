/** Applies the rows of a request, which are lines of JSON. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { joinedChanges } from '../../changes/model/item-change.js';
import { type JsonRow, parseJsonRow } from '../../formats/json/json-rows.js';
import type { BegunJob } from '../../jobs/model/begun-job.js';
import { LF } from '../../kernel/characters.js';
import { explainSuperseded } from '../../outcomes/explain-superseded.js';
import type { Outcome } from '../../outcomes/model/chunk-result.js';
import { afterPass, countWaiting, FIRST_PASS, nextPass, passOf } from '../../outcomes/model/passes.js';
import type { ImportJob } from '../model/import-jobs.js';
import {
  type AppliedRows,
  type ApplyContext,
  type RowApplier,
  type RowReaderName,
  rowRange,
} from '../rows/row-applier.js';
import { joinedWarnings } from './chunk-warnings.js';
import { KeyTracker } from './find-duplicates.js';

/** The input of one job of a request. */
type InlineJob = Pick<BegunJob<ImportJob>, 'job' | 'input'>;

/** Applies the rows of one job, whatever they refer to. */
export async function applyInput(
  trx: Knex.Transaction,
  applier: RowApplier,
  { job, input }: InlineJob,
  siteWasEmpty: boolean,
  reader: RowReaderName,
): Promise<AppliedRows> {
  const keys = new KeyTracker(applier);
  const read = await readAll(applier, keys, input, reader);
  const reserved = await applier.reserve(trx, rowRange(null, job.total_count ?? 0));
  const duplicates = keys.superseded();
  const context = { jobId: job.id, duplicates, reserved, siteWasEmpty, guarded: true, isWhole: true };
  const result = await applyInPasses(trx, applier, read, context);
  applier.done(read);
  return duplicates.size > 0 ? { ...result, failures: explainSuperseded(result.failures) } : result;
}

/** Reads the rows and collects their keys; an applier that reads bytes needs the keys before any row is parsed. */
async function readAll(applier: RowApplier, keys: KeyTracker, input: Buffer, reader: RowReaderName): Promise<unknown> {
  if (applier.keyField === undefined)
    return applier.read({ format: 'JSON', rows: keys.track(parseLines(input)) }, { reader });
  await keys.trackLines(input, applier.keyField);
  return readLines(applier, input, reader);
}

export function readLines(applier: RowApplier, input: Buffer, reader: RowReaderName): Promise<unknown> {
  return applier.read({ format: 'JSON', rows: parseLines(input), source: { bytes: input, firstRow: 1 } }, { reader });
}

export async function readInput(db: Db, jobId: string): Promise<string> {
  const chunk: { input: string | null } | undefined = await db('job_chunk')
    .where({ job_id: jobId, idx: 0 })
    .first('input');
  return chunk?.input ?? '';
}

/** The rows of an input, one JSON text a line, numbered from 1. */
export function* parseLines(bytes: Buffer): Generator<JsonRow> {
  let row = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(LF, start);
    const end = newline < 0 ? bytes.length : newline;
    yield parseJsonRow(++row, bytes.toString('utf8', start, end));
    start = end + 1;
  }
}

/** Applies rows that refer to other rows of the same input in later passes. */
async function applyInPasses(
  trx: Knex.Transaction,
  applier: RowApplier,
  read: unknown,
  context: Omit<ApplyContext, 'pass'>,
): Promise<AppliedRows> {
  const first = await applier.apply(trx, read, { ...context, pass: FIRST_PASS });
  let waiting = countWaiting(first.outcomes);
  if (waiting === 0) return first;
  let outcomes = first.outcomes.join('');
  const failures = [...first.failures];
  const outboxEntries = [...(first.outboxEntries ?? [])];
  let { warnings } = first;
  const changes = [first.changes];
  for (let number = nextPass(0, 0, waiting); number !== null; ) {
    const pass = passOf(number, outcomes);
    const result = await applier.apply(trx, read, { ...context, siteWasEmpty: false, pass, failedBefore: failures });
    failures.push(...result.failures);
    outboxEntries.push(...(result.outboxEntries ?? []));
    warnings = joinedWarnings(warnings, result.warnings);
    changes.push(result.changes);
    outcomes = afterPass(pass, result.outcomes);
    const waited = waiting;
    waiting = countWaiting(outcomes);
    number = nextPass(number, waited, waiting);
  }
  failures.sort((a, b) => a.row - b.row);
  return { outcomes: [...outcomes] as Outcome[], failures, outboxEntries, warnings, changes: joinedChanges(changes) };
}
