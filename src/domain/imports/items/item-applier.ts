/** Imports items, from files and from JSON. */
import type { Knex } from 'knex';
import { Stride } from '../../../platform/time-slice.js';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { hashSeed } from '../../formats/model/source-hash.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { ImportOptions } from '../model/import-options.js';
import type { AppliedRows, ApplyContext, RowApplier } from '../rows/row-applier.js';
import { RowNotes } from '../rows/row-notes.js';
import { applyJointly } from './apply-item-rows.js';
import { applyPass } from './apply-pass.js';
import { explainAlternates } from './explain-alternates.js';
import { type ApplyItems, type ItemPart, type ReadRow, type ReadRows, UNCHANGED_ROW } from './item-batch.js';
import { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import { itemWorkbookColumns } from './item-workbook-columns.js';
import { DraftBuilder } from './read/draft-builder.js';
import { type FileContent, fixedNames, resolveItemColumns } from './read/item-columns.js';
import type { ItemDraft } from './read/item-draft.js';
import { reserveSerials } from './resolve/serials.js';
import { openRowReader } from './row-readers.js';
import { NONE_UNCHANGED } from './unchanged-items.js';
import { wholeRows } from './whole-rows.js';

/** The most rows that are read before the thread may yield to the event loop; fewer, where rows take long. */
const ROWS_PER_YIELD = 100;

interface ItemJob {
  readonly siteId: number;
  readonly channel: number | null;
  readonly options: ImportOptions;
  /** Whether the rows of a file are items or bundles. */
  readonly content: FileContent;
  /**
   * Present for the rows of an archive, which say all of their items.
   * `siteWasEmpty`: whether no item can have what its row does not say. `names`: see RowApplier.attributeName.
   */
  readonly whole?: { readonly siteWasEmpty: boolean; readonly names: ReadonlyMap<string, string> } | undefined;
}

/** What JSON rows mean: when it changes, rows that were applied before are read again. */
const JSON_RULES = 'exact numbers';

/** @param headerCells the header found by the plan step; null for JSON, and while planning */
export function itemApplier(
  job: ItemJob,
  rules: ItemRules,
  headerCells: readonly string[] | null,
): RowApplier<ReadRows, ItemPart> {
  const { content, whole } = job;
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
  const attributeName =
    whole !== undefined || namesAttributes(job.options) ? attributeNames(rules, whole?.names) : undefined;
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
    // What is approved is compared row by row, with its own job.
    join:
      rules.unique.length + rules.serials.length > 0 || job.options.approval !== undefined
        ? undefined
        : {
            key: JSON.stringify([mode, job.channel, decimalSeparator, dateFormat]),
            part: (read, context) => ({ read, options: applying(context) }),
            apply: applyTogether,
          },
    attributeName,
    reserve: async (trx, rows) => (mode === 'update' || whole !== undefined ? {} : reserveSerials(trx, rules, rows)),
    read: async (source, { reader, before }) => {
      // Each chunk has its own buffer, which holds the chunk's documents.
      const buffer = DocumentBuffer.forChunk();
      const builder = new DraftBuilder(rules, buffer, usualType, job.options.decimalSeparator !== undefined);
      const rows = openRowReader(reader, source, { builder, columns, seed });
      // An insert needs no search for unchanged rows: it rejects every row whose item exists.
      if (before !== undefined && mode !== 'insert' && whole === undefined)
        await rows.skipUnchanged({ ...before, siteId: job.siteId, numbered: job.options.snapshot !== undefined });
      const read: ReadRow[] = [];
      // Where values are matched with patterns, any row may take long.
      const stride = new Stride(rules.hasPatterns ? 1 : ROWS_PER_YIELD);
      while (rows.readSome(read, stride.next())) await stride.pause();
      const given = whole === undefined ? read : wholeRows(read, rules, whole.siteWasEmpty);
      return { rows: given, notes: builder.notes, buffer, unchanged: rows.unchangedItems() };
    },
    gather: (before, { rows, notes }, outcomes) => {
      const empty = { rows: [], notes: new RowNotes(notes.isDecided), buffer: null, unchanged: NONE_UNCHANGED };
      const gathered: ReadRows = before ?? empty;
      gathered.notes.add(notes);
      for (const row of detached(rows, outcomes)) gathered.rows.push(row);
      return gathered;
    },
    done: ({ buffer }) => buffer?.recycle(),
    apply: async (trx: Knex.Transaction, read: ReadRows, context: ApplyContext): Promise<AppliedRows> => {
      const options = applying(context);
      return explained(trx, { read, options }, await applyPass(trx, read.rows, options));
    },
  };

  function applying(context: ApplyContext): ApplyItems {
    const describesCreated = job.options.approval !== undefined;
    const own = { siteId: job.siteId, channel: job.channel, rules, mode, names: fixedNames(columns), describesCreated };
    return { ...own, attributeName, ...context };
  }
}

/** Whether the job creates attributes: those of its preview are undone, and have other ids when it was approved. */
function namesAttributes({ missing, approval }: ImportOptions): boolean {
  return approval !== undefined && (missing !== undefined || approval.definitions !== undefined);
}

function attributeNames({ attributes }: ItemRules, others?: ReadonlyMap<string, string>): (id: string) => string {
  const names = new Map(attributes.map(({ definition: { id, name } }) => [String(id), name]));
  return (id) => names.get(id) ?? others?.get(id) ?? id;
}

/** See Join. The caller has set the savepoint `BEFORE_ROWS`. */
async function applyTogether(trx: Knex.Transaction, parts: readonly ItemPart[]): Promise<(AppliedRows | null)[]> {
  const sites = parts.map(({ read: { rows }, options }) => ({ rows, options }));
  const results: (AppliedRows | null)[] = [];
  for (const [nth, result] of (await applyJointly(trx, sites)).entries()) {
    results.push(result === null ? null : await explained(trx, parts[nth] as ItemPart, result));
  }
  return results;
}

/** Adds what is known about failed rows besides, and the warnings. */
async function explained(trx: Knex.Transaction, part: ItemPart, result: AppliedRows): Promise<AppliedRows> {
  const { read, options } = part;
  const failures = await explainAlternates(trx, options, result.failures);
  const warnings = read.notes.of(() => read.rows.map(({ row }) => row), result.outcomes);
  return { ...result, failures, warnings };
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
