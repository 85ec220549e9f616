/** Whether the change log of a site adds up: undoing all changes, the last one first, leaves a site that was never written. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';
import { numberChanges } from '../../../src/domain/changes/number-changes.js';

type Values = Record<string, unknown>;

interface LoggedChange {
  readonly position: number;
  readonly n: number;
  readonly operation: 'C' | 'U' | 'D' | 'S';
  readonly sku: string;
  readonly changed: Readonly<Record<string, { readonly b?: unknown; readonly a?: unknown }>>;
}

/** All that the change log speaks of, of each item of a site that is there now. */
async function presentItems(db: Db, siteId: number): Promise<Map<string, Values>> {
  const { rows } = await db.raw<{ rows: { sku: string; attributes: Values; fields: Values }[] }>(
    `SELECT item.sku, attributes, jsonb_strip_nulls(jsonb_build_object(
       '$node', node_id, '$parent', parent_sku, '$channels', channels, '$status', status, '$type', type,
       '$createdAt', created_at,
       '$alternates', (SELECT jsonb_agg(category_id ORDER BY category_id) FROM category_item AS held
                       WHERE held.site_id = item.site_id AND held.sku = item.sku),
       '$bundle', (SELECT jsonb_agg(jsonb_build_object('sku', part.sku, 'quantity', part.quantity) ORDER BY part.position)
                   FROM bundle_item AS part WHERE part.site_id = item.site_id AND part.bundle_sku = item.sku))) AS fields
     FROM item WHERE item.site_id = ?`,
    [siteId],
  );
  return new Map(rows.map(({ sku, attributes, fields }) => [sku, { ...attributes, ...fields }]));
}

/** The changes of a site in the order of its feed. */
async function loggedChanges(db: Db, siteId: number): Promise<LoggedChange[]> {
  await numberChanges(db, siteId);
  const { rows } = await db.raw<{ rows: LoggedChange[] }>(
    `SELECT set.position, created.n::integer - 1000000 AS n, 'C' AS operation, created.sku, '{}'::jsonb AS changed
     FROM change_set AS set CROSS JOIN LATERAL unnest(set.created) WITH ORDINALITY AS created (sku, n)
     WHERE set.site_id = :siteId AND NOT set.preview
     UNION ALL
     SELECT set.position, change.n, change.operation::text, change.sku, change.changed
     FROM change_set AS set JOIN item_change AS change ON change.set_id = set.id
     WHERE set.site_id = :siteId AND NOT set.preview
     ORDER BY position, n`,
    { siteId },
  );
  return rows;
}

/** Undoes changes, the last one first, and checks each: what it says is after must be there. */
function undo(items: Map<string, Values>, changes: readonly LoggedChange[]): Map<string, Values> {
  for (const { operation, sku, changed } of [...changes].reverse()) {
    const item = items.get(sku);
    if (operation === 'C') {
      assert.ok(item !== undefined, `${sku} was created, and is there until it is deleted`);
      items.delete(sku);
      continue;
    }
    if (operation === 'D') {
      assert.equal(item, undefined, `${sku} was deleted, and is not there until it is created again`);
      items.set(sku, Object.fromEntries(Object.entries(changed).map(([name, { b }]) => [name, b])));
      continue;
    }
    assert.ok(item !== undefined, `${sku} was changed, and is there`);
    for (const [name, difference] of Object.entries(changed)) {
      assert.deepEqual(item[name], difference.a, `${name} of ${sku}`);
      assert.notDeepEqual(difference.a, difference.b, `${name} of ${sku} differs`);
      if (difference.b === undefined) delete item[name];
      else item[name] = difference.b;
    }
  }
  return items;
}

/** @throws AssertionError naming the first item and value that does not add up */
export async function assertChangesAddUp(db: Db, siteId: number): Promise<void> {
  const left = undo(await presentItems(db, siteId), await loggedChanges(db, siteId));
  assert.deepEqual([...left.keys()], [], 'every item was created by a change');
}
