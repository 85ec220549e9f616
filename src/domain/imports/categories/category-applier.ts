/** Imports categories, from files and from JSON. */
import type { Knex } from 'knex';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { type CategoryColumns, resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import { noteChanger } from '../../changes/definition-changes.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ApplyContext, RowApplier, SourceRows } from '../rows/row-applier.js';
import { applyCategoryRows } from './apply-category-rows.js';
import { FILE_NAMES, JSON_NAMES } from './category-row-names.js';
import { PlacedRows } from './placed-rows.js';
import { categoryReader } from './read-category.js';

const ROWS_PER_YIELD = 50;
const MIB = 1024 * 1024;

/**
 * A parent may be anywhere in a file, so that a file is one chunk. A larger tree would be too large for the definitions
 * that every item job loads.
 */
const LIMITS = { maxRows: 100_000, maxBytes: 24 * MIB, chunkRows: 100_000, chunkBytes: 24 * MIB } as const;

interface CategoryJob {
  readonly siteId: number;
  readonly actor: string | null;
  readonly options: ImportOptions;
}

/** @param headerCells the header found by the plan step; null for JSON, and while planning */
export function categoryApplier(
  { siteId, actor, options }: CategoryJob,
  headerCells: readonly string[] | null,
): RowApplier<PlacedRows> {
  const columns = headerCells === null ? null : resolveCategoryHeader(headerCells);
  const names = columns === null ? JSON_NAMES : FILE_NAMES;
  return {
    limits: LIMITS,
    ordered: true,
    winner: options.mode === 'insert' ? 'first' : 'last',
    // A row's identity is made of several cells: duplicates are found when all rows have been read.
    readHeader: (cells) => {
      resolveCategoryHeader(cells);
      return -1;
    },
    keyOf: () => null,
    normaliseKey: (key) => key,
    reserve: async () => ({}),
    read: (source) => readRows(source, columns),
    done: () => undefined,
    apply: async (trx: Knex.Transaction, read: PlacedRows, { jobId }: ApplyContext): Promise<ChunkResult> => {
      await noteChanger(trx, { jobId, actor });
      return applyCategoryRows(trx, siteId, read, { mode: options.mode, names, options });
    },
  };
}

async function readRows(source: SourceRows, columns: CategoryColumns | null): Promise<PlacedRows> {
  const placed = new PlacedRows();
  const readRow = categoryReader(columns);
  for (const row of source.rows) {
    if (placed.rows.length % ROWS_PER_YIELD === 0) await yieldToEventLoop();
    placed.add(readRow(row));
  }
  return placed;
}
