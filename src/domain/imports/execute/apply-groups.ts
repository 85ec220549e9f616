/** Applies groups of small jobs: those of several sites by one call where that is possible, the others one by one. */
import type { Knex } from 'knex';
import { isLostRace } from '../../../../db/with-retries.js';
import { dividedChanges, NO_CHANGES } from '../../changes/model/item-change.js';
import { FIRST_PASS } from '../../outcomes/model/passes.js';
import { BEFORE_ROWS } from '../items/write/write-items.js';
import { applyInput, readLines } from '../pipeline/apply-input.js';
import { warningsWithin } from '../pipeline/chunk-warnings.js';
import type { AppliedRows, RowReaderName } from '../rows/row-applier.js';
import type { Group } from './job-groups.js';

/** The savepoint before a job that is applied by itself. */
const BEFORE_JOB = 'before_job_of_batch';

/** What came of a group: the results of its first jobs, in order. Nothing of the others is applied. */
interface AppliedGroup {
  readonly results: AppliedRows[];
  /** Whether the job after the last result failed; otherwise the time was over. */
  readonly failed: boolean;
}

const LINE_END = Buffer.from('\n');

const LEFT_OUT: AppliedGroup = { results: [], failed: false };

/** Applies one group of each site. @param isOver whether the time of the batch is over: no further job is begun then */
export async function applyRound(
  trx: Knex.Transaction,
  groups: readonly Group[],
  reader: RowReaderName,
  isOver: () => boolean,
): Promise<AppliedGroup[]> {
  const joined = groups.filter(({ joins }) => joins);
  const together = new Map<Group, AppliedRows[]>();
  const jointly =
    joined.length === 0 ? null : await undoneIfFailed(trx, BEFORE_ROWS, () => applyJointly(trx, joined, reader));
  for (const [nth, group] of joined.entries()) {
    const result = jointly?.[nth];
    if (result !== undefined && result !== null) together.set(group, shareOut(group, result));
  }
  const all: AppliedGroup[] = [];
  // One job is tried however late it is, or nothing would ever be done.
  let tried = together.size > 0;
  for (const group of groups) {
    const results = together.get(group);
    if (results !== undefined) all.push({ results, failed: false });
    else if (tried && isOver()) all.push(LEFT_OUT);
    else all.push(await applyOneByOne(trx, group, reader, isOver));
    tried = true;
  }
  return all;
}

async function applyOneByOne(
  trx: Knex.Transaction,
  { members }: Group,
  reader: RowReaderName,
  isOver: () => boolean,
): Promise<AppliedGroup> {
  const results: AppliedRows[] = [];
  for (const { batched, applier } of members) {
    if (results.length > 0 && isOver()) return { results, failed: false };
    const result = await undoneIfFailed(trx, BEFORE_JOB, () => applyInput(trx, applier, batched, false, reader));
    if (result === null) return { results, failed: true };
    results.push(result);
  }
  return { results, failed: false };
}

/** Applies the rows of several groups. @returns null for a group of which nothing was applied: rows refer to others */
async function applyJointly(
  trx: Knex.Transaction,
  groups: readonly Group[],
  reader: RowReaderName,
): Promise<(AppliedRows | null)[] | null> {
  const parts = [];
  const done: (() => void)[] = [];
  for (const { members } of groups) {
    const [first] = members;
    if (first?.applier.join === undefined) return null;
    const { applier, batched } = first;
    const read = await readLines(applier, joinedLines(members.map((member) => member.batched.input)), reader);
    done.push(() => applier.done(read));
    const context = { jobId: batched.job.id, duplicates: new Map(), reserved: {}, siteWasEmpty: false, guarded: true };
    parts.push(first.applier.join.part(read, { ...context, pass: FIRST_PASS }));
  }
  const results = await groups[0]?.members[0]?.applier.join?.apply(trx, parts);
  for (const each of done) each();
  return results ?? null;
}

function joinedLines(inputs: readonly Buffer[]): Buffer {
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1) return only;
  return Buffer.concat(inputs.flatMap((input, nth) => (nth === 0 ? [input] : [LINE_END, input])));
}

/** Gives each job its part of a joint result, its rows numbered from 1. */
function shareOut(
  { members }: Group,
  { outcomes, failures, warnings, changes = NO_CHANGES }: AppliedRows,
): AppliedRows[] {
  const sizes = members.map(({ batched: { job } }) => job.total_count ?? 0);
  const divided = sizes.length === 1 ? [changes] : dividedChanges(changes, sizes);
  let before = 0;
  return sizes.map((size, nth) => {
    const first = before;
    before += size;
    const own = failures.filter(({ row }) => row > first && row <= before);
    return {
      outcomes: outcomes.slice(first, before),
      failures: own.map((failure) => ({ ...failure, row: failure.row - first })),
      warnings: warnings === undefined ? undefined : warningsWithin(warnings, first + 1, before + 1, first),
      changes: divided[nth],
    };
  });
}

/** @returns null when the work threw, or answered null: nothing of it is left in the transaction */
async function undoneIfFailed<T>(
  trx: Knex.Transaction,
  savepoint: string,
  work: () => Promise<T | null>,
): Promise<T | null> {
  await trx.raw(`SAVEPOINT ${savepoint}`);
  try {
    const done = await work();
    if (done !== null) return done;
  } catch (error) {
    if (isLostRace(error)) throw error;
  }
  await trx.raw(`ROLLBACK TO SAVEPOINT ${savepoint}`);
  return null;
}
