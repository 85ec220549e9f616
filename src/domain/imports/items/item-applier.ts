/** Imports items, from files and from JSON. */
import type { Knex } from 'knex';
import { Stride } from '../../../platform/time-slice.js';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { hashSeed } from '../../formats/model/source-hash.js';
import type { ChunkResult, Outcome } from '../../jobs/model/chunk-result.js';
import { OUTCOME } from '../../jobs/model/chunk-result.js';
import type { Warnings } from '../../jobs/model/warnings.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ApplyContext, RowApplier } from '../model/row-applier.js';
import { RowNotes } from '../model/row-notes.js';
import { MAX_READS, resultOf, sortRows } from './apply-item-rows.js';
import { applyPass } from './apply-pass.js';
import { explainAlternates } from './explain-alternates.js';
import type { ApplyItems, ItemPart, ReadRow } from './item-batch.js';
import { UNCHANGED_ROW } from './item-batch.js';
import { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import { itemWorkbookColumns } from './item-workbook-columns.js';
import { DraftBuilder } from './read/draft-builder.js';
import type { FileContent } from './read/item-columns.js';
import { fixedNames, resolveItemColumns } from './read/item-columns.js';
import type { ItemDraft } from './read/item-draft.js';
import { resolveTogether } from './resolve/resolve-plain-rows.js';
import { reserveSerials } from './resolve/serials.js';
import { openRowReader } from './row-readers.js';
import { writeTogether } from './write/write-resolved.js';

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
