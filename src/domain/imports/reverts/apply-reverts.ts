/** Applies the rows of a revert that are about items: each gives one item back the state that it had before the jobs. */
import type { Knex } from 'knex';
import { changesByOthers, type OtherChange } from '../../changes/changes-by-others.js';
import { isSameImage } from '../../changes/model/definition-image.js';
import { type Changes, NO_CHANGES } from '../../changes/model/item-change.js';
import { sourceHash } from '../../formats/model/source-hash.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { Pass } from '../../outcomes/model/passes.js';
import { imagesOf } from '../deletions/images-of-items.js';
import { applyPass } from '../items/apply-pass.js';
import { type ReadRow, UNCHANGED_ROW } from '../items/item-batch.js';
import type { ItemRules } from '../items/item-rules.js';
import { fixedNames } from '../items/read/item-columns.js';
import type { AppliedRows, ApplyContext } from '../rows/row-applier.js';
import type { RevertingJob } from './current-rules.js';
import { draftOf, vacatingDraft } from './draft-of-row.js';
import { type ItemImage, type Judgement, judgeRow } from './judge-row.js';
import { presentDefinitions } from './present-definitions.js';
import type { RevertRow } from './revert-row.js';

export interface RevertJob extends RevertingJob {
  /** Whether the changes say what created items are like. */
  readonly describesCreated?: boolean | undefined;
  /** Judges rows that are not made of the change log. */
  readonly judge?: RevertJudge | undefined;
  /** Gives rows that are not made of the change log the form of such rows. */
  readonly resolving?: ((trx: Knex.Transaction) => Promise<(row: RevertRow) => RevertRow>) | undefined;
}

/** SKU → what becomes of each row, or why it is not applied. A row that is not named is unchanged. */
export type RevertJudge = (
  trx: Knex.Transaction,
  rows: readonly RevertRow[],
  rules: ItemRules,
) => Promise<ReadonlyMap<string, Judgement | readonly RowProblem[]>>;

/** A row, and its number. */
export interface ReadRevert {
  readonly row: number;
  readonly item: RevertRow;
  /** Why it is not to be applied, whatever it says. */
  readonly refused?: RowProblem | undefined;
}

export interface Applying {
  readonly job: RevertJob;
  readonly rules: ItemRules;
  readonly context: ApplyContext;
}

export async function applyReverts(
  trx: Knex.Transaction,
  read: readonly ReadRevert[],
  { job, rules, context }: Applying,
): Promise<AppliedRows> {
  const { siteId, revertOf, judge } = job;
  const isFirst = context.pass.number === 0;
  const pass = isFirst ? withAllRows(read.length) : context.pass;
  const due = read.filter((_, index) => pass.before[index] === OUTCOME.deferred);
  const judged = isFirst
    ? await judge?.(
        trx,
        due.map(({ item }) => item),
        rules,
      )
    : undefined;
  const images = await presentItems(trx, siteId, due, isFirst && judge === undefined);
  const resolve = await job.resolving?.(trx);
  // What this job writes itself is no reason to keep an item: later passes apply what the first one has let through.
  const others = isFirst && judge === undefined ? await othersOf(trx, siteId, due, revertOf) : new Map();
  const rolesWait = !context.pass.last && (await haveRolesLeft(trx, siteId, due));
  const waiting = new Set<number>();
  const mayWait: boolean[] = new Array(read.length).fill(false);
  const rows = read.map(({ row, item, refused }, index): ReadRow => {
    const { sku } = item;
    if (pass.before[index] !== OUTCOME.deferred) return UNCHANGED_ROW;
    if (refused !== undefined) return failing(row, sku, [refused]);
    const present = images.get(sku);
    if (isFirst) {
      const judgement =
        judged === undefined ? judgeRow(item, present, others.get(sku) ?? [], rules) : (judged.get(sku) ?? 'unchanged');
      if (judgement === 'unchanged') return UNCHANGED_ROW;
      if (judgement !== 'due') return failing(row, sku, 'code' in judgement ? [judgement] : [...judgement]);
    }
    const hash = sourceHash([context.jobId, String(row)], 0);
    const draft = draftOf(resolve?.(item) ?? item, rules, { row, hash, present });
    mayWait[index] = item.mayWait === true && !context.pass.last;
    if (item.waits !== undefined && rolesWait) {
      waiting.add(index);
      return failing(row, sku, []);
    }
    if ('problems' in draft) {
      // Definitions that are reverted after the items may give its attributes their former types.
      if (mayWait[index] || (draft.mayWait && !context.pass.last)) waiting.add(index);
      return failing(row, sku, draft.problems);
    }
    return { row, outcome: { draft, problems: null, key: sku } };
  });
  const result = await write(trx, rows, {
    applying: { job, rules, context },
    pass: waiting.size === 0 ? pass : withoutRows(pass, waiting),
    inParts: isFirst,
  });
  return mayWait.includes(true) ? withoutEnds(rows, result, mayWait) : result;
}

/** Whether roles of attributes for which rows wait are still as the jobs have left them. All rows wait for the same. */
async function haveRolesLeft(trx: Knex.Transaction, siteId: number, due: readonly ReadRevert[]): Promise<boolean> {
  const waits = due.find(({ item }) => item.waits !== undefined)?.item.waits ?? [];
  const present = await presentDefinitions(
    trx,
    siteId,
    waits.map(({ key }) => ({ kind: 'mapping', key })),
  );
  return waits.some(({ key, after }) => isSameImage('mapping', present.get(`mapping ${key}`), after));
}

/** Writes rows, which stand at the places of those that were read. */
function write(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  { applying, pass, inParts }: { readonly applying: Applying; readonly pass: Pass; readonly inParts: boolean },
): Promise<AppliedRows> {
  const { job, rules, context } = applying;
  const { siteId, describesCreated } = job;
  const own = { siteId, channel: null, rules, mode: 'upsert', names: fixedNames(null), describesCreated } as const;
  return applyPass(trx, rows, { ...context, ...own, pass, inParts });
}

/** What bars the way of rows may be gone in a later pass: these wait for it. */
function withoutEnds(rows: readonly ReadRow[], result: AppliedRows, mayWait: readonly boolean[]): AppliedRows {
  const waiting = new Set<number>();
  const outcomes = result.outcomes.map((outcome, index): Outcome => {
    if (outcome !== OUTCOME.failed || !mayWait[index]) return outcome;
    waiting.add(rows[index]?.row ?? 0);
    return OUTCOME.deferred;
  });
  return { ...result, outcomes, failures: result.failures.filter(({ row }) => !waiting.has(row)) };
}

/**
 * Clears values that the items must not have when definitions are given back, and are to lose or to exchange anyway. The
 * caller applies their rows in the same transaction, or undoes it.
 * @returns the changes, and the indexes of the rows whose items have lost something
 */
export async function vacate(
  trx: Knex.Transaction,
  read: readonly ReadRevert[],
  applying: Applying,
): Promise<{ readonly vacated: ReadonlySet<number>; readonly changes: Changes }> {
  const { job, rules, context } = applying;
  const images = await imagesBySku(
    trx,
    job.siteId,
    read.map(({ item }) => item.sku),
  );
  const resolve = await job.resolving?.(trx);
  const rows = read.map(({ row, item, refused }): ReadRow => {
    const present = images.get(item.sku);
    if (present === undefined || refused !== undefined) return UNCHANGED_ROW;
    // Another one than that of the row, which would have been applied else.
    const hash = sourceHash([context.jobId, String(row), 'vacated'], 0);
    const draft = vacatingDraft(resolve?.(item) ?? item, rules, { row, hash, present });
    return draft === null ? UNCHANGED_ROW : { row, outcome: { draft, problems: null, key: item.sku } };
  });
  if (rows.every((row) => row === UNCHANGED_ROW)) return { vacated: new Set(), changes: NO_CHANGES };
  const pass = { number: 1, before: OUTCOME.deferred.repeat(rows.length), last: true };
  const { outcomes, changes = NO_CHANGES } = await write(trx, rows, { applying, pass, inParts: false });
  const indexes = outcomes.flatMap((outcome, index) => (outcome === OUTCOME.updated ? [index] : []));
  return { vacated: new Set(indexes), changes };
}

/** The first pass is one in which rows may refer to others: most rows need no further one. */
function withAllRows(count: number): Pass {
  return { number: 1, before: OUTCOME.deferred.repeat(count), last: false };
}

/** The pass leaves these rows alone, which wait for the next one. */
function withoutRows({ before, ...pass }: Pass, waiting: ReadonlySet<number>): Pass {
  const left = Array.from(before, (outcome, index) => (waiting.has(index) ? OUTCOME.unchanged : outcome));
  return { ...pass, before: left.join('') };
}

function failing(row: number, key: string, problems: RowProblem[]): ReadRow {
  return { row, outcome: { draft: null, problems, key, rest: null } };
}

/** SKU → the item as it is now. After the first pass only those matter that are to lose what they did not have before. */
async function presentItems(
  trx: Knex.Transaction,
  siteId: number,
  due: readonly ReadRevert[],
  isFirst: boolean,
): Promise<ReadonlyMap<string, ItemImage>> {
  const skus = due.flatMap(({ item }) => (isFirst || (item.isWhole && item.is) ? [item.sku] : []));
  return imagesBySku(trx, siteId, skus);
}

async function imagesBySku(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<ReadonlyMap<string, ItemImage>> {
  const images = await imagesOf(trx, siteId, [...skus], new Map());
  return new Map(
    images.map(({ sku, changed }) => [
      sku,
      Object.fromEntries(Object.entries(changed).map(([key, { b }]) => [key, b])),
    ]),
  );
}

function othersOf(trx: Knex.Transaction, siteId: number, due: readonly ReadRevert[], revertOf: readonly string[]) {
  const wanted = due.map(({ item: { sku, firstSet } }) => ({ sku, afterSet: firstSet }));
  const [first] = due.map(({ item: { at } }) => at).sort();
  if (first === undefined) return new Map<string, readonly OtherChange[]>();
  return changesByOthers(trx, siteId, wanted, revertOf, new Date(first));
}
