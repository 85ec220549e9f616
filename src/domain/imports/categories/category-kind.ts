/** Ingest of categories, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import type { CategoryColumns } from '../../catalog/categories/category-columns.js';
import { resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import type { ChunkResult, Outcome, RowFailure } from '../../jobs/chunk-result.js';
import { duplicateProblem, OUTCOME } from '../../jobs/chunk-result.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ImportOptions, WriteMode } from '../import-options.js';
import type { IngestKind, SourceRows } from '../pipeline/ingest-kind.js';
import { loadCategoryFacts } from './category-facts.js';
import type { ForestNode } from './category-forest.js';
import type { CategoryRowNames } from './category-row-names.js';
import { FILE_NAMES, JSON_NAMES } from './category-row-names.js';
import { decideCategories } from './decide-categories.js';
import { categoryReader, locateForest, PlantedRows, placesOfReferences } from './read-category.js';

import { writeCategories } from './write-categories.js';

const ROWS_PER_LOOK = 50;
const MIB = 1024 * 1024;

/**
 * A parent may stand anywhere in a file, so that a file is one chunk. A tree that is past this would be too large for
 * the definitions that every job of items loads.
 */
const LIMITS = { maxRows: 100_000, maxBytes: 24 * MIB, chunkRows: 100_000, chunkBytes: 24 * MIB } as const;

interface CategoryJob {
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

// Applies the rows of one input to the categories of a site, in the caller's transaction.

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
} as const;

/** Applies all rows of an input: the order in which they stand counts for nothing but siblings of equal order. */
export async function applyCategoryRows(
  trx: Knex.Transaction,
  siteId: number,
  planted: PlantedRows,
  { mode, names }: { readonly mode: WriteMode; readonly names: CategoryRowNames },
): Promise<ChunkResult> {
  await lockDefinitions(trx, siteId);
  const { forest, rows } = planted;
  const report = new Report(planted, names, mode);
  const references = rows.flatMap(({ byParent }) => byParent?.parent ?? []);
  const parents = await placesOfReferences(trx, siteId, references);
  const { losers, orphans } = planted.settle(mode === 'insert' ? 'first' : 'last', parents);
  const rowOf = ({ standing }: ForestNode) => rows[standing];
  const withAssignments = rows.some(({ fields }) => fields?.attributes !== undefined);
  await locateForest(trx, siteId, forest, withAssignments);
  const facts = await loadCategoryFacts(trx, siteId, forest, (node) => rowOf(node)?.fields ?? undefined);
  await breathe();
  const decisions = decideCategories(forest, rowOf, facts, mode, names);
  await breathe();
  await writeCategories(trx, siteId, forest, decisions.values());
  for (const [index, decision] of decisions) {
    if (decision.kind === 'failed') report.fail(index, decision.problems);
    else report.outcomes[index] = OUTCOME_OF[decision.kind];
  }
  for (const index of orphans) report.orphan(index);
  for (const [index, { standing }] of losers) report.lose(index, standing);
  return report.result();
}

/** What becomes of each row: failed, until it is known to be better. */
class Report {
  readonly outcomes: Outcome[];
  readonly #failures: RowFailure[] = [];

  constructor(
    readonly planted: PlantedRows,
    readonly names: CategoryRowNames,
    readonly mode: WriteMode,
  ) {
    this.outcomes = new Array(planted.rows.length).fill(OUTCOME.failed);
    for (const [index, { fields, problems }] of planted.rows.entries()) {
      if (fields === null) this.fail(index, problems);
    }
  }

  fail(index: number, problems: readonly RowProblem[]): void {
    const row = this.planted.rows[index];
    if (row !== undefined) this.#failures.push({ row: row.row, key: this.planted.keyOf(row), problems });
  }

  orphan(index: number): void {
    const message = 'there is no such parent; name it by its path, node id or id';
    this.fail(index, [{ code: 'NODE_NOT_FOUND', column: this.names.parentReference, message }]);
  }

  lose(index: number, standing: number): void {
    this.outcomes[index] = OUTCOME.duplicate;
    const row = this.planted.rows[standing]?.row ?? 0;
    const problem = duplicateProblem(this.names.key, row, this.mode === 'insert' ? 'first' : 'last');
    this.fail(index, [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' }]);
  }

  result(): ChunkResult {
    return { outcomes: this.outcomes, failures: this.#failures.sort((a, b) => a.row - b.row) };
  }
}
