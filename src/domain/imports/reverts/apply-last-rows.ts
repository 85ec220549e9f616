/**
 * Applies the rows of a revert that are left in its last pass, in one transaction: those of items and those of definitions may wait for
 * each other.
 */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { type Changes, joinedChanges } from '../../changes/model/item-change.js';
import { OUTCOME, type Outcome, type RowFailure } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows, ApplyContext } from '../rows/row-applier.js';
import { noting } from './apply-definition-rows.js';
import { applyReverts, type ReadRevert, type RevertJob, vacate } from './apply-reverts.js';
import { chainedChanges } from './chained-changes.js';
import type { CurrentRules } from './current-rules.js';
import { isOfDefinition, isOfItem, type ReadChange } from './read-change.js';

interface Changing {
  readonly job: RevertJob;
  readonly current: CurrentRules;
  readonly context: ApplyContext;
}

/** What came of rows so far. */
interface Applied {
  /** Those that are left, by their indexes. */
  readonly left: ReadonlyMap<number, ReadChange>;
  readonly outcomes: ReadonlyMap<number, Outcome>;
  /** Why those that are left were not applied. */
  readonly failures: readonly RowFailure[];
  readonly changes: readonly Changes[];
  readonly outboxEntries: readonly OutboxEntry[];
}

const BEFORE_VACATED = 'before_vacated';

export async function applyLastRows(
  trx: Knex.Transaction,
  rows: readonly ReadChange[],
  changing: Changing,
): Promise<AppliedRows> {
  const { before } = changing.context.pass;
  const left = new Map([...rows.entries()].filter(([index]) => before[index] === OUTCOME.deferred));
  const due = [...left.values()];
  // Others wait for it as for a job that begins with definitions.
  if (due.some(isOfDefinition) && due.some(isOfItem)) await changing.current.bump(trx);
  let applied = await applyRounds(trx, begun(left), changing);
  applied = await applyVacated(trx, applied, changing);
  return ended(trx, rows, applied, changing);
}

function begun(left: Applied['left']): Applied {
  return { left, outcomes: new Map(), failures: [], changes: [], outboxEntries: [] };
}

/**
 * Items and definitions in turn, as long as some of them make room for others. Items that go are the first: a role is given back
 * when there are none, and before others come.
 */
async function applyRounds(trx: Knex.Transaction, before: Applied, changing: Changing): Promise<Applied> {
  let applied = before;
  for (;;) {
    const waiting = applied.left.size;
    applied = { ...applied, failures: [] };
    if ([...applied.left.values()].some(isOfDefinition)) {
      applied = await applyItems(trx, applied, changing, ({ item: { was } }) => !was);
      applied = await applyDefinitionsOf(trx, applied, changing, false);
    }
    applied = await applyItems(trx, applied, changing, () => true);
    if (applied.left.size === waiting || ![...applied.left.values()].some(isOfDefinition)) return applied;
  }
}

async function applyItems(
  trx: Knex.Transaction,
  applied: Applied,
  { job, current, context }: Changing,
  isDue: (read: ReadRevert) => boolean,
): Promise<Applied> {
  const due = [...applied.left].flatMap(([index, one]) => (isOfItem(one) && isDue(one) ? [[index, one] as const] : []));
  if (due.length === 0) return applied;
  const pass = { ...context.pass, before: OUTCOME.deferred.repeat(due.length) };
  const applying = { job, rules: await current.rules(trx), context: { ...context, pass } };
  const result = await applyReverts(
    trx,
    due.map(([, one]) => one),
    applying,
  );
  return withResult(applied, due, result);
}

async function applyDefinitionsOf(
  trx: Knex.Transaction,
  applied: Applied,
  { current }: Changing,
  isLast: boolean,
): Promise<Applied> {
  const due = [...applied.left].flatMap(([index, one]) => (isOfDefinition(one) ? [[index, one] as const] : []));
  const read = due.map(([, one]) => one);
  return withResult(applied, due, noting(read, await current.afterDefinitions(trx, read, isLast)));
}

/** Rows that have failed, or wait, are left. */
function withResult(applied: Applied, due: readonly (readonly [number, ReadChange])[], result: AppliedRows): Applied {
  const left = new Map(applied.left);
  const outcomes = new Map(applied.outcomes);
  for (const [nth, [index]] of due.entries()) {
    const outcome = result.outcomes[nth];
    if (outcome === undefined || outcome === OUTCOME.failed || outcome === OUTCOME.deferred) continue;
    left.delete(index);
    outcomes.set(index, outcome);
  }
  return {
    left,
    outcomes,
    failures: [...applied.failures, ...result.failures],
    changes: [...applied.changes, ...(result.changes === undefined ? [] : [result.changes])],
    outboxEntries: [...applied.outboxEntries, ...(result.outboxEntries ?? [])],
  };
}

/**
 * An item may hold what bars the way of a definition, and need this definition to get back what it had: it gives way first. What
 * has given way without getting to its end is as it was before, and so is what depended on it.
 */
async function applyVacated(trx: Knex.Transaction, applied: Applied, changing: Changing): Promise<Applied> {
  const { job, current, context } = changing;
  let giving = new Set(applied.left.keys());
  // What bars the way of items to their ends, even after they have given way.
  const barred: RowFailure[] = [];
  const named = (end: Applied): Applied => ({ ...end, failures: [...end.failures, ...barred] });
  for (;;) {
    const due = [...applied.left].flatMap(([index, one]) =>
      giving.has(index) && isOfItem(one) ? [[index, one] as const] : [],
    );
    // The rules of what was undone may have the version that others get.
    const rules = await current.rules(trx);
    if (due.length === 0 || ![...applied.left.values()].some(isOfDefinition)) return named(applied);
    await trx.raw(`SAVEPOINT ${BEFORE_VACATED}`);
    const read = due.map(([, one]) => one);
    const { vacated, changes } = await vacate(trx, read, { job, rules, context });
    const given = due.flatMap(([index], nth) => (vacated.has(nth) ? [index] : []));
    const begin = { ...applied, changes: [...applied.changes, changes] };
    const result = given.length === 0 ? applied : await applyRounds(trx, begin, changing);
    const stuck = given.filter((index) => result.left.has(index));
    if (stuck.length > 0) await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_VACATED}`);
    await trx.raw(`RELEASE SAVEPOINT ${BEFORE_VACATED}`);
    if (stuck.length === 0) return named(result);
    const numbers = new Set(stuck.map((index) => result.left.get(index)?.row));
    barred.push(...result.failures.filter(({ row }) => numbers.has(row)));
    giving = new Set([...giving].filter((index) => !stuck.includes(index)));
  }
}

/** What is left has failed. */
async function ended(
  trx: Knex.Transaction,
  rows: readonly ReadChange[],
  applied: Applied,
  changing: Changing,
): Promise<AppliedRows> {
  const items = [...applied.left.values()].filter(isOfItem);
  const numbers = new Set(items.map(({ row }) => row));
  const ofItems = { ...applied, failures: applied.failures.filter(({ row }) => numbers.has(row)) };
  const hasDefinitions = [...applied.left.values()].some(isOfDefinition);
  const last = hasDefinitions ? await applyDefinitionsOf(trx, ofItems, changing, true) : ofItems;
  const failures = new Map(last.failures.map((failure) => [failure.row, failure]));
  return {
    outcomes: rows.map((_, index) =>
      last.left.has(index) ? OUTCOME.failed : (last.outcomes.get(index) ?? OUTCOME.deferred),
    ),
    failures: [...last.left.values()].flatMap(({ row }) => failures.get(row) ?? []),
    changes: chainedChanges(joinedChanges(last.changes)),
    outboxEntries: last.outboxEntries,
  };
}
