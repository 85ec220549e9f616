/** Ingest of items, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { JsonRow } from '../../formats/json/parse-jsonl-chunk.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import { hashSeed } from '../../kernel/source-hash.js';
import type { ImportOptions } from '../import-options.js';
import type { AppliedBefore, ApplyContext, IngestKind } from '../pipeline/ingest-kind.js';
import { applyWave } from './apply-wave.js';
import { ItemBytesReader } from './fast/read-item-bytes.js';
import { ItemJsonBytesReader } from './fast/read-item-json-bytes.js';
import type { ReadRow } from './item-batch.js';
import { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import { DraftBuilder, type DraftOutcome } from './read/draft-builder.js';
import { type FileContent, fixedNames, resolveItemColumns } from './read/item-columns.js';
import { itemWorkbookColumns } from './read/item-workbook-columns.js';
import { passOverKnownRows } from './read/known-rows.js';
import { itemElementReader, skuOfElement } from './read/read-item-element.js';
import { reserveSerials } from './resolve/serials.js';

/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 100;

export interface ItemJob {
  readonly siteId: number;
  readonly channel: number | null;
  readonly options: ImportOptions;
  /** What a file's rows are. */
  readonly content: FileContent;
}

/** Where the documents of what was read are. */
const buffers = new WeakMap<ReadRow[], DocumentBuffer>();

/** @param headerCells the header found by PLAN; null for JSON, and while planning */
export function itemKind(job: ItemJob, rules: ItemRules, headerCells: readonly string[] | null): IngestKind<ReadRow[]> {
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
  );
  async function readBytes(
    buffer: DocumentBuffer,
    reader: ItemBytesReader | ItemJsonBytesReader,
    before: AppliedBefore | undefined,
  ): Promise<ReadRow[]> {
    // An insert changes no item: one that exists is refused, however it came to be.
    if (before !== undefined && mode !== 'insert') await passOverKnownRows(reader, { ...before, siteId: job.siteId });
    const read: ReadRow[] = [];
    while (reader.readSome(read, ROWS_PER_LOOK)) await breathe();
    buffers.set(read, buffer);
    return read;
  }
  const columns = headerCells === null ? null : resolveItemColumns(headerCells, rules, mode, content);
  return {
    ordered: rules.unique.length > 0,
    standing: mode === 'insert' ? 'first' : 'last',
    readHeader: (cells) => resolveItemColumns(cells, rules, mode, content).keyColumn,
    workbookColumns: (cells) =>
      itemWorkbookColumns(resolveItemColumns(cells, rules, mode, content), rules, job.options),
    keyOf: skuOfElement,
    keyField: 'sku',
    normaliseKey: normalizeSku,
    reserve: async (trx, rows) => (mode === 'update' ? {} : reserveSerials(trx, rules, rows)),
    read: async (source, before) => {
      // Made for each chunk: it holds the chunk's documents.
      const buffer = DocumentBuffer.forChunk();
      const builder = new DraftBuilder(rules, buffer, usualType);
      if (source.format === 'JSON') {
        const readElement = orProblem(itemElementReader(builder, seed));
        if (source.source === undefined) return readRows(buffer, source.rows, readElement);
        return readBytes(buffer, new ItemJsonBytesReader(source.source, builder, seed, readElement), before);
      }
      if (columns === null) throw new Error('rows of a file cannot be read before its header');
      return readBytes(buffer, new ItemBytesReader(source.source, builder, columns, seed), before);
    },
    done: (read) => buffers.get(read)?.recycle(),
    apply: (trx: Knex.Transaction, read: ReadRow[], context: ApplyContext): Promise<ChunkResult> =>
      applyWave(trx, read, {
        siteId: job.siteId,
        channel: job.channel,
        rules,
        mode,
        names: fixedNames(columns),
        ...context,
      }),
  };
}

/** Lines that are no JSON have their problem already. */
function orProblem(readElement: (row: JsonRow) => DraftOutcome): (row: JsonRow) => DraftOutcome {
  return (row) => (row.problem === null ? readElement(row) : { draft: null, problems: [row.problem], key: null });
}

async function readRows<Row extends { readonly row: number }>(
  buffer: DocumentBuffer,
  rows: Iterable<Row>,
  readRow: (row: Row) => DraftOutcome,
): Promise<ReadRow[]> {
  const read: ReadRow[] = [];
  const iterator = rows[Symbol.iterator]();
  while (readSome(iterator, readRow, read)) await breathe();
  buffers.set(read, buffer);
  return read;
}

/** A loop of its own, for one that awaits is never compiled as a whole. @returns whether there may be more */
function readSome<Row extends { readonly row: number }>(
  rows: Iterator<Row>,
  readRow: (row: Row) => DraftOutcome,
  read: ReadRow[],
): boolean {
  for (let count = 0; count < ROWS_PER_LOOK; count++) {
    const next = rows.next();
    if (next.done === true) return false;
    read.push({ row: next.value.row, outcome: readRow(next.value) });
  }
  return true;
}
