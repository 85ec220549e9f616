/** Writes the decisions about categories: a few statements for thousands of rows. */
import type { Knex } from 'knex';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import { newId } from '../../kernel/identifier.js';
import type { CategoryNode, CategoryTrees } from './category-trees.js';
import type { CategoryDecision } from './decide-categories.js';

type Change = Extract<CategoryDecision, { kind: 'create' | 'update' }>;

const ROWS_PER_STATEMENT = 5_000;

/** @param decisions parents before children */
export async function writeCategories(
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
  // What stays is neither deleted nor written: it is no change.
  if (emptied.length > 0) {
    const kept = JSON.stringify([...assignmentRows(replaced.filter(({ kind }) => kind === 'update'))]);
    await trx.raw(
      `DELETE FROM category_attribute AS held WHERE category_id = ANY (?) AND NOT EXISTS (
         SELECT FROM jsonb_to_recordset(?::jsonb) AS new (c text, a text)
         WHERE new.c = held.category_id AND new.a = held.attribute_id)`,
      [emptied, kept],
    );
  }
  for (const some of inBatches(assignmentRows(replaced))) await writeAssignments(trx, some);
}

/** An assignment: the ids of its category and its attribute, whether it is mandatory, and its position. */
export interface AssignmentRow {
  readonly c: string;
  readonly a: string;
  readonly m: boolean;
  readonly p: number;
}

/** Writes assignments; those that are there already get what is new of them. */
export async function writeAssignments(trx: Knex.Transaction, rows: readonly AssignmentRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO category_attribute AS held (category_id, attribute_id, mandatory, position)
     SELECT c, a, m, p FROM jsonb_to_recordset(?::jsonb) AS new (c text, a text, m boolean, p integer)
     ON CONFLICT ON CONSTRAINT category_attribute_pk DO UPDATE
       SET mandatory = excluded.mandatory, position = excluded.position
       WHERE (held.mandatory, held.position) IS DISTINCT FROM (excluded.mandatory, excluded.position)`,
    [JSON.stringify(rows)],
  );
}

function* assignmentRows(changes: readonly Change[]): Generator<AssignmentRow> {
  for (const { node, assignments = [] } of changes) {
    const c = idOf(node);
    for (const [index, { attributeId, mandatory }] of assignments.entries()) {
      yield { c, a: attributeId, m: mandatory, p: index + 1 };
    }
  }
}

export function idOf(node: CategoryNode): string {
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
