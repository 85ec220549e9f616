/** Ingest of items, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../platform/time-slice.js';
import type { JobOptions } from '../jobs/job-options.js';
import type { ChunkResult } from './chunk-result.js';
import type { ApplyContext, IngestKind, SourceRows } from './ingest-kind.js';
import { applyBisecting } from './items/apply-bisecting.js';
import type { ReadRow } from './items/apply-item-rows.js';
import type { DraftOutcome } from './items/draft-builder.js';
import { normaliseSku } from './items/draft-builder.js';
import { fixedNames, resolveItemColumns } from './items/item-columns.js';
import type { ItemRules } from './items/item-rules.js';
import { itemCellReader } from './items/read-item-cells.js';
import { itemElementReader, skuOfElement } from './items/read-item-element.js';
import { reserveSerials } from './items/serials.js';
import type { CsvRow } from './source/parse-csv-chunk.js';
import type { JsonRow } from './source/parse-jsonl-chunk.js';
import { hashSeed } from './source-hash.js';

/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 100;

export interface ItemJob {
  readonly siteId: number;
  readonly channel: number | null;
  readonly options: JobOptions;
}

/** @param headerCells the header found by PLAN; null for JSON, and while planning */
export function itemKind(job: ItemJob, rules: ItemRules, headerCells: readonly string[] | null): IngestKind<ReadRow[]> {
  const { mode } = job.options;
  const { decimalSeparator = '', dateFormat = '' } = job.options;
  const seed = hashSeed(rules.definitions.version, job.channel, decimalSeparator, dateFormat);
  const columns = headerCells === null ? null : resolveItemColumns(headerCells, rules, mode);
  return {
    ordered: rules.unique.length > 0,
    standing: mode === 'insert' ? 'first' : 'last',
    readHeader: (cells) => resolveItemColumns(cells, rules, mode).keyColumn,
    keyOf: skuOfElement,
    normaliseKey: normaliseSku,
    reserve: async (trx, lastRow) => (mode === 'update' ? {} : reserveSerials(trx, rules, lastRow)),
    // Readers are made for each chunk: they hold its documents.
    read: (source) =>
      readRows(source, columns === null ? null : itemCellReader(rules, columns, seed), itemElementReader(rules, seed)),
    apply: (trx: Knex.Transaction, read: ReadRow[], context: ApplyContext): Promise<ChunkResult> =>
      applyBisecting(trx, read, {
        siteId: job.siteId,
        channel: job.channel,
        rules,
        mode,
        names: fixedNames(columns),
        ...context,
      }),
  };
}

async function readRows(
  source: SourceRows,
  readCells: ((row: CsvRow) => DraftOutcome) | null,
  readElement: (row: JsonRow) => DraftOutcome,
): Promise<ReadRow[]> {
  const read: ReadRow[] = [];
  for (const row of source.rows) {
    if (read.length % ROWS_PER_LOOK === 0) await breathe();
    if (row.problem !== null && !('cells' in row)) {
      read.push({ row: row.row, outcome: { draft: null, problems: [row.problem], key: null } });
    } else if ('cells' in row) {
      if (readCells === null) throw new Error('rows of a file cannot be read before its header');
      read.push({ row: row.row, outcome: readCells(row) });
    } else {
      read.push({ row: row.row, outcome: readElement(row) });
    }
  }
  return read;
}
