/** Imports items, from files and from JSON. */
import type { Knex } from 'knex';
import { Stride } from '../../../platform/time-slice.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { hashSeed } from '../../formats/model/source-hash.js';
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { TEXT_COLUMN } from '../../formats/model/workbook-column.js';
import { storable } from '../../kernel/characters.js';
import type { ChunkResult, Outcome, RowFailure } from '../../kernel/chunk-result.js';
import { OUTCOME } from '../../kernel/chunk-result.js';
import { RowNotes } from '../../kernel/row-notes.js';
import { duplicateProblem } from '../../kernel/superseded-rows.js';
import type { Warnings } from '../../kernel/warnings.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ApplyContext, RowApplier } from '../model/row-applier.js';
import { explainAlternates } from './category-index.js';
import type { ApplyItems, ItemPart, ReadRow } from './item-batch.js';
import { UNCHANGED_ROW } from './item-batch.js';
import { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import { DraftBuilder } from './read/draft-builder.js';
import type { FileContent, ItemColumns } from './read/item-columns.js';
import { fixedNames, resolveItemColumns } from './read/item-columns.js';
import type { ItemDraft } from './read/item-draft.js';
import { refersToOthers } from './read/item-draft.js';
import type { ResolvedRow } from './resolve/resolve-dependent-rows.js';
import { resolveDependentRows, resolvePlainRows, resolveTogether } from './resolve/resolve-dependent-rows.js';
import { reserveSerials } from './resolve/serials.js';
import { openRowReader } from './row-readers.js';
import { BEFORE_ROWS } from './write/write-items.js';
import { writeResolved, writeTogether } from './write/write-resolved.js';

/** The most rows that are read before the thread may yield to the event loop; fewer, where rows take long. */
const ROWS_PER_YIELD = 100;

interface ItemJob {
  readonly siteId: number;
  readonly channel: number | null;
  readonly options: ImportOptions;
  /** Whether the rows of a file are items or bundles. */
  readonly content: FileContent;
}

/** What JSON rows mean: when it changes, rows that were applied before are read again. */
const JSON_RULES = 'exact numbers';

/** The buffer that holds the documents of the rows that were read. */
const buffers = new WeakMap<ReadRow[], DocumentBuffer>();
/** What was noted about the rows that were read. */
const notesOf = new WeakMap<readonly ReadRow[], RowNotes>();

/** @param headerCells the header found by the plan step; null for JSON, and while planning */
export function itemApplier(
  job: ItemJob,
  rules: ItemRules,
  headerCells: readonly string[] | null,
): RowApplier<ReadRow[], ItemPart> {
  const { content } = job;
  const { mode } = job.options;
  const { decimalSeparator = '', dateFormat = '' } = job.options;
  const usualType = content === 'bundles' ? ('B' as const) : null;
  const seed = hashSeed(
    rules.definitions.version,
    job.channel,
    decimalSeparator,
    dateFormat,
    ...(usualType === null ? [] : [usualType]),
    ...(headerCells === null ? [JSON_RULES] : []),
  );
  const columns = headerCells === null ? null : resolveItemColumns(headerCells, rules, mode, content);
  return {
    ordered: rules.unique.length > 0,
    winner: mode === 'insert' ? 'first' : 'last',
    readHeader: (cells) => resolveItemColumns(cells, rules, mode, content).keyColumn,
    workbookColumns: (cells) =>
      itemWorkbookColumns(resolveItemColumns(cells, rules, mode, content), rules, job.options),
    keyOf: skuOfElement,
    keyField: 'sku',
    normaliseKey: normalizeSku,
    // A unique value, or a number of a series, that one row takes is not left for another.
    join:
      rules.unique.length + rules.serials.length > 0
        ? undefined
        : {
            key: JSON.stringify([mode, job.channel, decimalSeparator, dateFormat]),
            part: (rows, context) => ({ rows, options: applying(context) }),
            apply: applyTogether,
          },
    reserve: async (trx, rows) => (mode === 'update' ? {} : reserveSerials(trx, rules, rows)),
    read: async (source, { reader, before }) => {
      // Each chunk has its own buffer, which holds the chunk's documents.
      const buffer = DocumentBuffer.forChunk();
      const builder = new DraftBuilder(rules, buffer, usualType, job.options.decimalSeparator !== undefined);
      const rows = openRowReader(reader, source, { builder, columns, seed });
      // An insert needs no search for unchanged rows: it rejects every row whose item exists.
      if (before !== undefined && mode !== 'insert') await rows.skipUnchanged({ ...before, siteId: job.siteId });
      const read: ReadRow[] = [];
      // Where values are matched with patterns, any row may take long.
      const stride = new Stride(rules.hasPatterns ? 1 : ROWS_PER_YIELD);
      while (rows.readSome(read, stride.next())) await stride.pause();
      buffers.set(read, buffer);
      notesOf.set(read, builder.notes);
      return read;
    },
    gather: (before, read, outcomes) => {
      const rows = before ?? [];
      for (const row of detached(read, outcomes)) rows.push(row);
      const own = notesOf.get(read);
      const notes = notesOf.get(rows) ?? new RowNotes(own?.isDecided);
      if (own !== undefined) notes.add(own);
      notesOf.set(rows, notes);
      return rows;
    },
    done: (read) => buffers.get(read)?.recycle(),
    apply: async (trx: Knex.Transaction, read: ReadRow[], context: ApplyContext): Promise<ChunkResult> => {
      const options = applying(context);
      const result = await applyPass(trx, read, options);
      const warnings = warningsOf(read, result.outcomes);
      return { ...result, failures: await explainAlternates(trx, options, result.failures), warnings };
    },
  };

  function applying(context: ApplyContext): ApplyItems {
    return { siteId: job.siteId, channel: job.channel, rules, mode, names: fixedNames(columns), ...context };
  }
}

function warningsOf(read: readonly ReadRow[], outcomes: readonly Outcome[]): Warnings | undefined {
  return notesOf.get(read)?.of(() => read.map(({ row }) => row), outcomes);
}

/**
 * See Join. The caller has set the savepoint `BEFORE_ROWS`. After a collision with an insert of another transaction, all
 * parts are resolved again.
 */
async function applyTogether(trx: Knex.Transaction, parts: readonly ItemPart[]): Promise<(ChunkResult | null)[]> {
  const sorted = parts.map(({ rows, options }) => ({ read: rows, options, ...sortRows(rows, options) }));
  const plain = sorted.filter(({ outcomes }) => !outcomes.includes(OUTCOME.deferred));
  for (let read = 1; read <= MAX_READS; read++) {
    const resolved = await resolveTogether(trx, plain);
    const complete = plain.flatMap((part, nth) => {
      const rows = resolved[nth] ?? [];
      return rows.some(({ decision }) => decision.kind === 'deferred') ? [] : [{ part, rows, options: part.options }];
    });
    if (!(await writeTogether(trx, complete))) continue;
    const results = new Map<(typeof plain)[number], ChunkResult>();
    for (const { part, rows, options } of complete) {
      const result = resultOf(part, rows);
      const failures = await explainAlternates(trx, options, result.failures);
      results.set(part, { ...result, failures, warnings: warningsOf(part.read, result.outcomes) });
    }
    return sorted.map((part) => results.get(part) ?? null);
  }
  throw new Error('other jobs keep inserting the same SKUs');
}

/** The deferred rows of a chunk, with documents of their own; the other rows are empty. */
function detached(read: readonly ReadRow[], deferred: string): ReadRow[] {
  return read.map((one, index) => {
    const { outcome } = one;
    if (deferred[index] !== OUTCOME.deferred) return UNCHANGED_ROW;
    if (outcome.draft !== null) return { ...one, outcome: { ...outcome, draft: withOwnDocument(outcome.draft) } };
    return outcome.rest === null ? one : { ...one, outcome: { ...outcome, rest: withOwnDocument(outcome.rest) } };
  });
}

function withOwnDocument(draft: ItemDraft): ItemDraft {
  return { ...draft, document: draft.document.copy() };
}

// Applying the rows of a chunk in one pass: all rows in the first pass, then the deferred rows.

/** @returns one outcome for each row; `deferred` for the rows that the pass leaves alone */
async function applyPass(trx: Knex.Transaction, rows: readonly ReadRow[], options: ApplyItems): Promise<ChunkResult> {
  const { pass } = options;
  if (pass.number === 0) return applyBisecting(trx, rows, options);
  const indexes = rows.flatMap((_, index) => (pass.before[index] === OUTCOME.deferred ? [index] : []));
  const waiting = indexes.flatMap((index) => rows[index] ?? []);
  const { outcomes, failures } = await applyBisecting(trx, waiting, options);
  const all: Outcome[] = new Array(rows.length).fill(OUTCOME.deferred);
  indexes.forEach((index, nth) => {
    all[index] = outcomes[nth] ?? OUTCOME.deferred;
  });
  return { outcomes: all, failures };
}

// The last safeguard: when Postgres rejects a value that all checks accepted, only the row of that value fails.

/** SQLSTATE classes of data exceptions, and of program limits (such as a document that is too large). */
const DATA_ERROR = /^(22|54)/;

/**
 * Like applyItemRows, but, when guarded, halves the rows after a data error until only the faulty row is left.
 * @internal exported for tests
 */
export async function applyBisecting(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  if (!options.guarded) return applyItemRows(trx, rows, options);
  await trx.raw(`SAVEPOINT ${BEFORE_ROWS}`);
  try {
    return await applyItemRows(trx, rows, options);
  } catch (error) {
    if (!DATA_ERROR.test((error as { code?: string }).code ?? '')) throw error;
    await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_ROWS}`);
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) return refused(only, error as Error);
    const middle = Math.ceil(rows.length / 2);
    const first = await applyBisecting(trx, rows.slice(0, middle), options);
    const second = await applyBisecting(trx, rows.slice(middle), options);
    return {
      outcomes: [...first.outcomes, ...second.outcomes],
      failures: [...first.failures, ...second.failures],
    };
  }
}

function refused({ row, outcome }: ReadRow, error: Error): ChunkResult {
  const message = `the database refused the row: ${storable(error.message, 300)}; correct its values`;
  return {
    outcomes: [OUTCOME.failed],
    failures: [{ row, key: outcome.key, problems: [{ code: 'INVALID_TEXT', column: null, message }] }],
  };
}

// Applying the rows of one chunk, in the caller's transaction.

/** How often a chunk reads the stored items again because other jobs inserted its keys meanwhile. */
const MAX_READS = 5;

/**
 * Applies rows whose keys are distinct, except for `duplicates`. After the first pass these are deferred rows only.
 * @returns one outcome for each row, in order, and the failures
 */
async function applyItemRows(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  const sorted = sortRows(rows, options);
  return resultOf(sorted, await resolveAndWrite(trx, sorted.drafts, options));
}

interface SortedRows {
  /** One for each row; those of the drafts are not decided. */
  readonly outcomes: Outcome[];
  readonly failures: RowFailure[];
  readonly drafts: readonly ItemDraft[];
  /** The index of each draft's row. */
  readonly indexes: readonly number[];
}

/**
 * Whether rows are resolved one after another. So they are in the first pass already where values are unique: a row that
 * is deferred because it refers to others keeps the values that it wants from the rows after it.
 */
function resolvesInOrder({ pass, rules }: ApplyItems): boolean {
  return pass.number > 0 || rules.unique.length > 0;
}

/** Separates the rows that have to be compared with what is stored from those whose outcome is known. */
function sortRows(rows: readonly ReadRow[], options: ApplyItems): SortedRows {
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const drafts: ItemDraft[] = [];
  const indexes: number[] = [];
  rows.forEach((read, index) => {
    if (read === UNCHANGED_ROW) {
      outcomes[index] = OUTCOME.unchanged;
      return;
    }
    const { row, outcome } = read;
    const draft = outcome.draft ?? outcome.rest;
    const winner = options.duplicates.get(row);
    if (winner !== undefined) {
      outcomes[index] = OUTCOME.duplicate;
      const problem = duplicateProblem(options.names.sku, winner, options.mode === 'insert' ? 'first' : 'last');
      failures.push({ row, key: outcome.key, problems: [problem] });
    } else if (draft === null) {
      failures.push({ row, key: outcome.key, problems: outcome.problems ?? [] });
    } else if (options.pass.number === 0 && !resolvesInOrder(options) && refersToOthers(draft)) {
      outcomes[index] = OUTCOME.deferred;
    } else {
      drafts.push(draft);
      indexes.push(index);
    }
  });

  return { outcomes, failures, drafts, indexes };
}

/** The result of rows whose drafts are resolved. */
function resultOf({ outcomes, failures, indexes }: SortedRows, resolved: readonly ResolvedRow[]): ChunkResult {
  resolved.forEach(({ draft, decision }, nth) => {
    const index = indexes[nth] ?? 0;
    outcomes[index] = OUTCOME_OF[decision.kind];
    if (decision.kind === 'failed')
      failures.push({ row: draft.row, key: draft.sku || null, problems: decision.problems });
  });
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
  deferred: OUTCOME.deferred,
} as const;

/** @returns the decision about each draft, in order */
async function resolveAndWrite(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
): Promise<readonly ResolvedRow[]> {
  const resolve = resolvesInOrder(options) ? resolveDependentRows : resolvePlainRows;
  let readFirst = options.pass.number > 0 || !options.siteWasEmpty;
  for (let read = 1; read <= MAX_READS; read++) {
    const resolution = await resolve(trx, drafts, options, readFirst);
    if (await writeResolved(trx, resolution, options)) return resolution.rows;
    readFirst = true;
  }
  throw new Error('other jobs keep inserting the same SKUs');
}

function itemWorkbookColumns(
  { columns }: ItemColumns,
  rules: ItemRules,
  { decimalSeparator = '.' }: Pick<ImportOptions, 'decimalSeparator'>,
): readonly WorkbookColumn[] {
  return columns.map((column) => {
    if (column.kind === 'attribute') return attributeColumn(rules, column.position, decimalSeparator);
    return column.kind === 'ignored'
      ? { ...TEXT_COLUMN, kind: 'other', writeDate: (canonical) => canonical }
      : TEXT_COLUMN;
  });
}

function attributeColumn(rules: ItemRules, position: number, decimalSeparator: '.' | ','): WorkbookColumn {
  const { definition, toText } = rules.attribute(position);
  return ATTRIBUTE_TYPES[definition.type].workbook(definition).column(toText, decimalSeparator);
}
