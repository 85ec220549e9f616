/** Imports categories, from files and from JSON. */
import type { Knex } from 'knex';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import type { CategoryColumns } from '../../catalog/categories/category-columns.js';
import { resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import { bumpDefinitions, lockDefinitions } from '../../catalog/definitions-version.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import type { ChunkResult, Outcome, RowFailure } from '../../kernel/chunk-result.js';
import { OUTCOME } from '../../kernel/chunk-result.js';
import { newId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { LaterChange } from '../../kernel/superseded-rows.js';
import { duplicateProblem, explainSuperseded, outdatedProblem } from '../../kernel/superseded-rows.js';
import type { ImportOptions, WriteMode } from '../model/import-options.js';
import type { RowApplier, SourceRows } from '../model/row-applier.js';
import type { CategoryRowNames } from './category-row-names.js';
import { FILE_NAMES, JSON_NAMES } from './category-row-names.js';
import type { CategoryNode, CategoryTrees } from './category-trees.js';
import type { CategoryDecision } from './decide-categories.js';
import { decideCategories, loadCategoryFacts } from './decide-categories.js';
import { categoryReader, locateTrees, PlacedRows, placesOfReferences } from './read-category.js';

const ROWS_PER_YIELD = 50;
const MIB = 1024 * 1024;

/**
 * A parent may be anywhere in a file, so that a file is one chunk. A larger tree would be too large for the definitions
 * that every item job loads.
 */
const LIMITS = { maxRows: 100_000, maxBytes: 24 * MIB, chunkRows: 100_000, chunkBytes: 24 * MIB } as const;

interface CategoryJob {
  readonly siteId: number;
  readonly options: ImportOptions;
}

/** @param headerCells the header found by the plan step; null for JSON, and while planning */
export function categoryApplier(
  { siteId, options }: CategoryJob,
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
    apply: (trx: Knex.Transaction, read: PlacedRows): Promise<ChunkResult> =>
      applyCategoryRows(trx, siteId, read, { mode: options.mode, names, options }),
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

// Applying the rows of one input, in the caller's transaction.

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
} as const;

interface ApplyOptions {
  readonly mode: WriteMode;
  readonly names: CategoryRowNames;
  /** Those of the job, for what a retry says there. */
  readonly options?: Partial<ImportOptions>;
}

/**
 * Applies all rows of an input. Their order matters only for siblings whose `order` is equal.
 * @internal exported for tests
 */
export async function applyCategoryRows(
  trx: Knex.Transaction,
  siteId: number,
  placed: PlacedRows,
  { mode, names, options = {} }: ApplyOptions,
): Promise<ChunkResult> {
  await lockDefinitions(trx, siteId);
  const { trees, rows } = placed;
  const report = new Report(placed, names, mode);
  const references = rows.flatMap(({ byParent }) => byParent?.parent ?? []);
  const parents = await placesOfReferences(trx, siteId, references);
  const { superseded, orphans, faulty } = placed.resolveWinners(mode === 'insert' ? 'first' : 'last', parents);
  const fieldsOf = ({ winner, faulty: index }: CategoryNode) => rows[winner >= 0 ? winner : index]?.fields ?? undefined;
  const withAssignments = rows.some(({ fields }) => fields?.attributes !== undefined);
  await locateTrees(trx, siteId, trees, withAssignments);
  const facts = await loadCategoryFacts(trx, siteId, trees, fieldsOf, withAssignments);
  await yieldToEventLoop();
  const decisions = decideCategories(trees, (index) => rows[index], faulty, facts, mode, names);
  for (const [{ winner }, later] of await changedLater(trx, trees, options)) {
    decisions.set(winner, { kind: 'failed', problems: [outdatedProblem('category', later, options.retryOf)] });
  }
  await yieldToEventLoop();
  await writeCategories(trx, siteId, trees, decisions.values());
  for (const [index, decision] of decisions) {
    if (decision.kind === 'failed') report.fail(index, decision.problems);
    else report.outcomes[index] = OUTCOME_OF[decision.kind];
  }
  for (const index of orphans) report.orphan(index);
  for (const [index, { winner }] of superseded) report.supersede(index, winner);
  return report.result();
}

/** The categories that rows of a retry are about and that were changed after the job that it repeats had ended. */
async function changedLater(
  trx: Knex.Transaction,
  { levels }: CategoryTrees,
  { retry }: Partial<ImportOptions>,
): Promise<readonly (readonly [CategoryNode, LaterChange])[]> {
  if (retry?.since === undefined) return [];
  const named = levels.flat().filter(({ winner, stored }) => winner >= 0 && stored !== null);
  const nodes = new Map(named.map((node) => [idOf(node), node]));
  const { rows } = await trx.raw<{ rows: { id: string; at: Date }[] }>(
    `SELECT id, updated_at AS at FROM category WHERE id = ANY (?) AND updated_at > ?::timestamptz`,
    [[...nodes.keys()], retry.since],
  );
  return rows.flatMap(({ id, at }) => {
    const node = nodes.get(id);
    return node === undefined ? [] : [[node, { at, how: 'changed' }] as const];
  });
}

/** The outcome of each row, which is `failed` until another one is set. */
class Report {
  readonly outcomes: Outcome[];
  readonly #failures: RowFailure[] = [];

  constructor(
    readonly placed: PlacedRows,
    readonly names: CategoryRowNames,
    readonly mode: WriteMode,
  ) {
    this.outcomes = new Array(placed.rows.length).fill(OUTCOME.failed);
    for (const [index, { fields, problems }] of placed.rows.entries()) {
      if (fields === null) this.fail(index, problems);
    }
  }

  fail(index: number, problems: readonly RowProblem[]): void {
    const row = this.placed.rows[index];
    if (row !== undefined) this.#failures.push({ row: row.row, key: this.placed.keyOf(row), problems });
  }

  orphan(index: number): void {
    const message = 'there is no such parent; name it by its path, node id or id';
    const problem: RowProblem = { code: 'NODE_NOT_FOUND', column: this.names.parentReference, message };
    this.fail(index, [...(this.placed.rows[index]?.problems ?? []), problem]);
  }

  supersede(index: number, winner: number): void {
    this.outcomes[index] = OUTCOME.duplicate;
    const row = this.placed.rows[winner]?.row ?? 0;
    const problem = duplicateProblem(this.names.key, row, this.mode === 'insert' ? 'first' : 'last');
    this.fail(index, [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' }]);
  }

  result(): ChunkResult {
    const failures = this.#failures.sort((a, b) => a.row - b.row);
    return { outcomes: this.outcomes, failures: explainSuperseded(failures) };
  }
}

// Writing the decisions: a few statements for thousands of rows.

type Change = Extract<CategoryDecision, { kind: 'create' | 'update' }>;

const ROWS_PER_STATEMENT = 5_000;

/** @param decisions parents before children */
async function writeCategories(
  trx: Knex.Transaction,
  siteId: number,
  trees: CategoryTrees,
  decisions: Iterable<CategoryDecision>,
): Promise<void> {
  const changes: Change[] = [];
  for (const decision of decisions) if ('node' in decision) changes.push(decision);
  if (changes.length === 0) return;
  if (changes.some(({ node }) => node.tree === 'PRIMARY')) await bumpDefinitions(trx, siteId);
  const created = withRoot(
    trees,
    changes.filter(({ kind }) => kind === 'create'),
  );
  await insertCategories(trx, siteId, created);
  const updated = changes.filter(({ kind }) => kind === 'update');
  await updateCategories(trx, updated);
  await replaceAssignments(trx, changes);
  const reassigned = updated.filter(({ assignments }) => assignments !== undefined);
  await scheduleStatusJob(
    trx,
    siteId,
    reassigned.flatMap(({ node }) => node.stored?.nodeId ?? []),
  );
}

/** Adds the root of the primary tree, which is created with the first category below it. */
function withRoot(trees: CategoryTrees, created: Change[]): Change[] {
  const { primaryRoot } = trees;
  const isDue = created.some(({ node }) => node.tree === 'PRIMARY');
  if (!isDue || primaryRoot === undefined || primaryRoot.stored !== null) return created;
  if (created.some(({ node }) => node === primaryRoot)) return created;
  return [{ kind: 'create', node: primaryRoot, order: 0, active: true, assignments: undefined }, ...created];
}

async function insertCategories(trx: Knex.Transaction, siteId: number, created: readonly Change[]): Promise<void> {
  if (created.length === 0) return;
  let nodeId = await reserveNodeIds(trx, siteId, created.length);
  for (const some of inBatches(created)) {
    const rows = some.map((change) => newRow(change, nodeId++));
    await trx.raw(
      `INSERT INTO category (id, site_id, node_id, parent_id, tree, name, name_key, path, depth, sort_order, active)
       SELECT id, ?, node_id, parent_id, tree, name, name_key, path, depth, sort_order, active
       FROM jsonb_to_recordset(?::jsonb) AS new
         (id text, node_id integer, parent_id text, tree text, name text, name_key text, path text, depth integer,
          sort_order integer, active boolean)`,
      [siteId, JSON.stringify(rows)],
    );
  }
}

/** The row of a category whose parent is stored, or created by a row before it. */
function newRow({ node, order, active }: Change, nodeId: number): object {
  const { parent, tree, name, nameKey, depth } = node;
  const path = `${parent?.stored?.path ?? '/'}${nodeId}/`;
  const stored = { id: newId(), nodeId, path, order, active, assigned: '' };
  node.stored = stored;
  return {
    id: stored.id,
    node_id: nodeId,
    parent_id: parent?.stored?.id ?? null,
    tree,
    name,
    name_key: nameKey,
    path,
    depth,
    sort_order: order,
    active,
  };
}

/** Reserves `count` consecutive node ids. @returns the first of them */
async function reserveNodeIds(trx: Knex.Transaction, siteId: number, count: number): Promise<number> {
  const [site] = await trx('site')
    .where({ id: siteId })
    .increment('next_node_id', count)
    .returning<{ next_node_id: number }[]>('next_node_id');
  if (site === undefined) throw new Error(`site ${siteId} does not exist`);
  return site.next_node_id - count;
}

async function updateCategories(trx: Knex.Transaction, updated: readonly Change[]): Promise<void> {
  for (const some of inBatches(updated)) {
    const rows = some.map(({ node, order, active }) => ({ id: idOf(node), sort_order: order, active }));
    await trx.raw(
      `UPDATE category SET sort_order = new.sort_order, active = new.active, updated_at = now()
       FROM jsonb_to_recordset(?::jsonb) AS new (id text, sort_order integer, active boolean)
       WHERE category.id = new.id COLLATE "C"`,
      [JSON.stringify(rows)],
    );
  }
}

async function replaceAssignments(trx: Knex.Transaction, changes: readonly Change[]): Promise<void> {
  const replaced = changes.filter(({ assignments }) => assignments !== undefined);
  const emptied = replaced.filter(({ kind }) => kind === 'update').map(({ node }) => idOf(node));
  if (emptied.length > 0) await trx('category_attribute').whereRaw('category_id = ANY (?)', [emptied]).delete();
  for (const some of inBatches(assignmentRows(replaced))) {
    await trx.raw(
      `INSERT INTO category_attribute (category_id, attribute_id, mandatory, position)
       SELECT c, a, m, p FROM jsonb_to_recordset(?::jsonb) AS new (c text, a text, m boolean, p integer)`,
      [JSON.stringify(some)],
    );
  }
}

function* assignmentRows(changes: readonly Change[]): Generator<object> {
  for (const { node, assignments = [] } of changes) {
    const c = idOf(node);
    for (const [index, { attributeId, mandatory }] of assignments.entries()) {
      yield { c, a: attributeId, m: mandatory, p: index + 1 };
    }
  }
}

function idOf(node: CategoryNode): string {
  if (node.stored === null) throw new Error('the category is not stored');
  return node.stored.id;
}

/** Splits rows into one batch for each statement: the rows of an entire tree would use more memory than the tree. */
function* inBatches<T>(rows: Iterable<T>): Generator<readonly T[]> {
  let batch: T[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS_PER_STATEMENT) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
