/** Whether the change log of definitions adds up: undoing all changes, the last one first, leaves a site without any. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';
import { numberChanges } from '../../../src/domain/changes/number-changes.js';

type Image = Readonly<Record<string, unknown>>;

interface LoggedDefinition {
  readonly kind: string;
  readonly key: string;
  readonly operation: 'C' | 'U' | 'D';
  readonly before: Image | null;
  readonly after: Image | null;
}

/** Every definition of a site that is there now, with all that defines it, by kind and key. */
async function presentDefinitions(db: Db, siteId: number): Promise<Map<string, Image>> {
  const [attributes, categories, mappings] = await Promise.all(
    ['attribute', 'category', 'attribute_mapping'].map((table) => db(table).where({ site_id: siteId })),
  );
  const assignments = await db('category_attribute')
    .join('category', 'category.id', 'category_id')
    .where({ site_id: siteId })
    .select('category_attribute.*', 'node_id');
  const nodes = new Map(categories?.map((row) => [row.id, row.node_id]));
  const present = new Map<string, Image>();
  for (const { id, name, type, position, definition } of attributes ?? []) {
    present.set(`attribute ${id}`, { name, type, position, definition });
  }
  for (const { id, node_id: nodeId, parent_id: parentId, tree, name, sort_order: order, active } of categories ?? []) {
    const parentNodeId = nodes.get(parentId) ?? null;
    present.set(`category ${id}`, { nodeId, parentId, parentNodeId, tree, name, order, active });
  }
  for (const row of assignments) {
    const { category_id: categoryId, attribute_id: attributeId, node_id: nodeId, mandatory, position } = row;
    present.set(`assignment ${categoryId}/${attributeId}`, { categoryId, nodeId, attributeId, mandatory, position });
  }
  for (const { mapping, attribute_id: attributeId, required } of mappings ?? []) {
    present.set(`mapping ${mapping}`, { attributeId, required });
  }
  return present;
}

/** Without what is no part of the definition, and the node of a category that was deleted in the same statement. */
function compared(image: Image | null | undefined): Image | null {
  if (image === null || image === undefined) return null;
  const { createdAt, serialNext, ...defining } = image;
  const { nodeId, ...others } = defining;
  return 'categoryId' in defining ? others : defining;
}

/** @throws AssertionError naming the first definition that does not add up */
export async function assertDefinitionsAddUp(db: Db, siteId: number): Promise<void> {
  await numberChanges(db, siteId);
  const { rows } = await db.raw<{ rows: LoggedDefinition[] }>(
    `SELECT change.kind, change.key, change.operation, change.before, change.after
     FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id
     WHERE set.site_id = ? AND NOT set.preview ORDER BY set.position, change.n`,
    [siteId],
  );
  const present = await presentDefinitions(db, siteId);
  for (const { kind, key, operation, before, after } of rows.reverse()) {
    const name = `${kind} ${key}`;
    assert.deepEqual([operation === 'C', operation === 'D'], [before === null, after === null], name);
    assert.deepEqual(compared(present.get(name)), compared(after), `${name} after its change`);
    if (operation === 'U') assert.notDeepEqual(compared(before), compared(after), `${name} differs`);
    if (before === null) present.delete(name);
    else present.set(name, before);
  }
  assert.deepEqual([...present.keys()], [], 'every definition was created by a change');
}
