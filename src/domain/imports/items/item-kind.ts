/** Ingest of items, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import { hashSeed } from '../../kernel/source-hash.js';
import type { ImportOptions } from '../import-options.js';
import type { ApplyContext, IngestKind } from '../pipeline/ingest-kind.js';
import { applyWave } from './apply-wave.js';
import type { ReadRow } from './item-batch.js';
import { DocumentBuffer } from './item-document.js';
import type { ItemRules } from './item-rules.js';
import { DraftBuilder } from './read/draft-builder.js';
import { type FileContent, fixedNames, resolveItemColumns } from './read/item-columns.js';
import { itemWorkbookColumns } from './read/item-workbook-columns.js';
import { skuOfElement } from './read/read-item-element.js';
import { reserveSerials } from './resolve/serials.js';
import { openRowReader } from './row-readers.js';

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
    read: async (source, { reader, before }) => {
      // Made for each chunk: it holds the chunk's documents.
      const buffer = DocumentBuffer.forChunk();
      const builder = new DraftBuilder(rules, buffer, usualType);
      const rows = openRowReader(reader, source, { builder, columns, seed });
      // An insert changes no item: one that exists is refused, however it came to be.
      if (before !== undefined && mode !== 'insert') await rows.skipUnchanged({ ...before, siteId: job.siteId });
      const read: ReadRow[] = [];
      while (rows.readSome(read, ROWS_PER_LOOK)) await breathe();
      buffers.set(read, buffer);
      return read;
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
