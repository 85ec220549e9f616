/** Applies the rows of a revert: each gives one item, or one definition, back the state that it had before the jobs. */
import type { Knex } from 'knex';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { changesByOthers, type OtherChange } from '../../changes/changes-by-others.js';
import { NO_CHANGES } from '../../changes/model/item-change.js';
import { sourceHash } from '../../formats/model/source-hash.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { Pass } from '../../outcomes/model/passes.js';
import { imagesOf } from '../deletions/images-of-items.js';
import { applyPass } from '../items/apply-pass.js';
import { type ReadRow, UNCHANGED_ROW } from '../items/item-batch.js';
import type { ItemRules } from '../items/item-rules.js';
import { fixedNames } from '../items/read/item-columns.js';
import type { ReadAccess } from '../items/refuse-changed.js';
import type { AppliedRows, ApplyContext, RowApplier, SourceRows } from '../rows/row-applier.js';
import type { ReadDefinition } from './apply-definitions.js';
import { CurrentRules, type RevertingJob } from './current-rules.js';
import { type DefinitionRow, isDefinitionRow } from './definition-row.js';
import { draftOf } from './draft-of-row.js';
import { type ItemImage, type Judgement, judgeRow } from './judge-row.js';
import type { RevertRow } from './revert-row.js';

interface RevertJob extends RevertingJob {
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
interface ReadRevert {
  readonly row: number;
  readonly item: RevertRow;
  /** Why it is not to be applied, whatever it says. */
  readonly refused?: RowProblem | undefined;
}

/** The rows of one chunk: all are of items, or all of definitions. */
type ReadChunk =
  | { readonly of: 'items'; readonly rows: ReadRevert[] }
  | { readonly of: 'definitions'; readonly rows: ReadDefinition[] };

/** How what is approved row by row reads the rows. */
export const REVERTED_ROWS: ReadAccess<ReadChunk, ReadRevert | ReadDefinition> = {
  rowsOf: ({ rows }) => rows,
  withRows: ({ of }, rows) => ({ of, rows }) as ReadChunk,
  skuOf: ({ item }) => (isDefinitionRow(item) ? null : item.sku),
  refused: (row, refused) => ({ ...row, refused }),
};

/** The SKU of each row of an item. */
export function skusOfReverts({ of, rows }: ReadChunk): (string | undefined)[] {
  return rows.map(({ item }) => (of === 'items' ? item.sku : undefined));
}

/**
 * Rows of items are written by writers of rows of imports, in the same passes: a variant is created after its parent and
 * deleted before it, a bundle is created after what it holds and deleted before it.
 */
export function revertApplier(job: RevertJob, begun: ItemRules): RowApplier<ReadChunk> {
  const current = new CurrentRules(job, begun);
  return {
    ordered: true,
    winner: 'first',
    readHeader: () => {
      throw new Error('the rows of a revert are lines of JSON');
    },
    keyOf: skuOfElement,
    normaliseKey: normalizeSku,
    reserve: async () => ({}),
    read: async (source) => readRows(source),
    gather: (before, read, outcomes) => {
      if (read.of === 'definitions') {
        return { of: 'definitions', rows: [...(before?.of === 'definitions' ? before.rows : []), ...read.rows] };
      }
      const gathered = before?.of === 'items' ? before.rows : [];
      for (const [index, one] of read.rows.entries())
        gathered.push(outcomes[index] === OUTCOME.deferred ? one : DECIDED);
      return { of: 'items', rows: gathered };
    },
    mayGather: (before, read) => before.of === read.of,
    done: () => undefined,
    apply: async (trx, read, context) => {
      if (read.of === 'definitions') return applyDefinitionRows(trx, read.rows, current, context);
      return applyReverts(trx, read.rows, { job, rules: await current.rules(trx), context });
    },
  };
}

/** Takes the place of each row that was decided in an earlier pass. */
const DECIDED: ReadRevert = {
  row: 0,
  item: { sku: '', was: false, is: false, isWhole: false, changed: {}, firstSet: 0, at: '' },
};

function readRows(source: SourceRows): ReadChunk {
  if (source.format !== 'JSON') throw new Error('the rows of a revert are lines of JSON');
  const items: ReadRevert[] = [];
  const definitions: ReadDefinition[] = [];
  for (const { row, text } of source.rows) {
    // The numbers of the change log are those that were stored.
    const item: RevertRow | DefinitionRow = JSON.parse(text);
    if (isDefinitionRow(item)) definitions.push({ row, item });
    else items.push({ row, item });
  }
  if (definitions.length === 0) return { of: 'items', rows: items };
  if (items.length > 0) throw new Error('a chunk of a revert has rows of items and of definitions');
  return { of: 'definitions', rows: definitions };
}

async function applyDefinitionRows(
  trx: Knex.Transaction,
  rows: readonly ReadDefinition[],
  current: CurrentRules,
  { pass }: ApplyContext,
): Promise<AppliedRows> {
  if (pass.number === 0) return noting(rows, await current.afterDefinitions(trx, rows, false));
  const indexes = rows.flatMap((_, index) => (pass.before[index] === OUTCOME.deferred ? [index] : []));
  const due = indexes.flatMap((index) => rows[index] ?? []);
  const { outcomes, ...result } = await current.afterDefinitions(trx, due, pass.last);
  const all: Outcome[] = new Array(rows.length).fill(OUTCOME.deferred);
  for (const [nth, index] of indexes.entries()) all[index] = outcomes[nth] ?? OUTCOME.deferred;
  return noting(rows, { ...result, outcomes: all });
}

const CHANGED: readonly Outcome[] = [OUTCOME.created, OUTCOME.updated, OUTCOME.deleted];

/** Adds which rows have changed definitions: an approved job changes no others. */
function noting(rows: readonly ReadDefinition[], result: AppliedRows): AppliedRows {
  const definitionRows = rows.flatMap(({ row }, index) => {
    const outcome = result.outcomes[index];
    return outcome !== undefined && CHANGED.includes(outcome) ? [row] : [];
  });
  return { ...result, changes: { ...NO_CHANGES, definitionRows } };
}

interface Applying {
  readonly job: RevertJob;
  readonly rules: ItemRules;
  readonly context: ApplyContext;
}

async function applyReverts(
  trx: Knex.Transaction,
  read: readonly ReadRevert[],
  { job, rules, context }: Applying,
): Promise<AppliedRows> {
  const { siteId, revertOf, judge, describesCreated } = job;
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
  const waiting = new Set<number>();
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
    if ('problems' in draft) {
      // Definitions that are reverted after the items may give its attributes their former types.
      if (draft.mayWait && !context.pass.last) waiting.add(index);
      return failing(row, sku, draft.problems);
    }
    return { row, outcome: { draft, problems: null, key: sku } };
  });
  const names = fixedNames(null);
  return applyPass(trx, rows, {
    ...context,
    pass: waiting.size === 0 ? pass : withoutRows(pass, waiting),
    siteId,
    channel: null,
    rules,
    mode: 'upsert',
    names,
    describesCreated,
    inParts: isFirst,
  });
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
  const images = await imagesOf(trx, siteId, skus, new Map());
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
