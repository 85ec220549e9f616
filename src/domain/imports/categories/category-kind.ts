/** Ingest of categories, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import { type CategoryColumns, resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import type { ImportOptions } from '../import-options.js';
import type { IngestKind, SourceRows } from '../pipeline/ingest-kind.js';
import { applyCategoryRows } from './apply-category-rows.js';
import { FILE_NAMES, JSON_NAMES } from './category-row-names.js';
import { PlantedRows } from './planted-rows.js';
import { categoryReader } from './read-category.js';

const ROWS_PER_LOOK = 50;
const MIB = 1024 * 1024;

/**
 * A parent may stand anywhere in a file, so that a file is one chunk. A tree that is past this would be too large for
 * the definitions that every job of items loads.
 */
const LIMITS = { maxRows: 100_000, maxBytes: 24 * MIB, chunkRows: 100_000, chunkBytes: 24 * MIB } as const;

export interface CategoryJob {
  readonly siteId: number;
  readonly options: ImportOptions;
}

/** @param headerCells the header found by PLAN; null for JSON, and while planning */
export function categoryKind(
  { siteId, options }: CategoryJob,
  headerCells: readonly string[] | null,
): IngestKind<PlantedRows> {
  const columns = headerCells === null ? null : resolveCategoryHeader(headerCells);
  const names = columns === null ? JSON_NAMES : FILE_NAMES;
  return {
    limits: LIMITS,
    ordered: true,
    standing: options.mode === 'insert' ? 'first' : 'last',
    // What tells rows apart is made of several cells: duplicates are found when all rows are there.
    readHeader: (cells) => {
      resolveCategoryHeader(cells);
      return -1;
    },
    keyOf: () => null,
    normaliseKey: (key) => key,
    reserve: async () => ({}),
    read: (source) => readRows(source, columns),
    done: () => undefined,
    apply: (trx: Knex.Transaction, read: PlantedRows): Promise<ChunkResult> =>
      applyCategoryRows(trx, siteId, read, { mode: options.mode, names }),
  };
}

async function readRows(source: SourceRows, columns: CategoryColumns | null): Promise<PlantedRows> {
  const planted = new PlantedRows();
  const readRow = categoryReader(columns);
  for (const row of source.rows) {
    if (planted.rows.length % ROWS_PER_LOOK === 0) await breathe();
    planted.add(readRow(row));
  }
  return planted;
}
