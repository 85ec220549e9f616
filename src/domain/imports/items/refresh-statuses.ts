/** Updates the status of items. */
import type { Knex } from 'knex';
import type { ItemStatusCode, ItemTypeCode } from '../../../../db/models/item.js';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import type { ItemChange } from '../../changes/model/item-change.js';
import type { ItemRules } from './item-rules.js';
import { statusOf } from './resolve/item-status.js';
import { inheritedValues, type Values } from './resolve/relations.js';
import { heldItem, KEEPING_TIME_OF_ROWS } from './resolve/stored-item.js';
import { statusChange } from './status-change.js';

/** How many items one statement reads. */
const BATCH = 5_000;
const ITEMS_PER_YIELD = 200;

interface CheckedItem {
  readonly sku: string;
  readonly type: ItemTypeCode;
  readonly status: ItemStatusCode;
  readonly nodeId: number;
  readonly values: Values;
  readonly parentValues: Values | null;
  /** Whether it is a bundle that holds items. */
  readonly holdsItems: boolean;
}

/**
 * Recomputes the status of the items in the categories and below them, and writes each that changed. The caller's job
 * is exclusive, so that no other job writes items of the site meanwhile.
 * @param tops node ids of the categories
 * @returns those of them with items whose status changed, and the changes
 */
export async function refreshStatuses(
  trx: Knex.Transaction,
  siteId: number,
  rules: ItemRules,
  tops: readonly number[],
): Promise<{ readonly tops: ReadonlySet<number>; readonly changes: readonly ItemChange[] }> {
  const topOf = topsByCategory(rules, tops);
  const changedTops = new Set<number>();
  const changes: ItemChange[] = [];
  for (let after = ''; ; ) {
    const items = await loadItems(trx, siteId, [...topOf.keys()], after);
    const changed: { sku: string; t: ItemStatusCode }[] = [];
    for (const [index, item] of items.entries()) {
      if (index % ITEMS_PER_YIELD === 0) await yieldToEventLoop();
      const status = currentStatus(item, rules);
      if (status === item.status) continue;
      changed.push({ sku: item.sku, t: status });
      for (const top of topOf.get(item.nodeId) ?? []) changedTops.add(top);
    }
    if (changed.length > 0) await writeStatuses(trx, siteId, changed);
    for (const { sku, t } of changed) changes.push(statusChange(sku, t));
    const last = items.at(-1);
    if (last === undefined || items.length < BATCH) return { tops: changedTops, changes };
    after = last.sku;
  }
}

/** Maps each leaf in or below the tops to the tops that contain it. */
function topsByCategory(rules: ItemRules, tops: readonly number[]): Map<number, readonly number[]> {
  const wanted = new Set(tops);
  const topsOf = new Map<number, readonly number[]>();
  const leaves = new Map<number, readonly number[]>();
  for (const { nodeId, parentNodeId, leaf } of rules.definitions.categories) {
    const above = parentNodeId === null ? undefined : topsOf.get(parentNodeId);
    const all = wanted.has(nodeId) ? [...(above ?? []), nodeId] : above;
    if (all === undefined) continue;
    topsOf.set(nodeId, all);
    if (leaf) leaves.set(nodeId, all);
  }
  return leaves;
}

function currentStatus(
  { type, status, nodeId, values, parentValues, holdsItems }: CheckedItem,
  rules: ItemRules,
): ItemStatusCode {
  const category = rules.ofCategory(nodeId);
  if (category === undefined) return status;
  if (type === 'B' && !holdsItems) return 'D';
  const inherited = parentValues === null ? {} : inheritedValues(parentValues, category, rules);
  return statusOf(values, inherited, category, rules);
}

async function loadItems(
  trx: Knex.Transaction,
  siteId: number,
  nodeIds: readonly number[],
  after: string,
): Promise<readonly CheckedItem[]> {
  const result = await trx.raw(
    `SELECT item.sku, item.type, item.status, item.node_id AS "nodeId", item.attributes AS values,
            parent.attributes AS "parentValues",
            item.type = 'B' AND EXISTS (
              SELECT 1 FROM bundle_item WHERE bundle_item.site_id = item.site_id AND bundle_sku = item.sku) AS "holdsItems"
     FROM item LEFT JOIN item AS parent ON parent.site_id = item.site_id AND parent.sku = item.parent_sku
     WHERE item.site_id = ? AND item.sku > ? AND item.node_id = ANY (?)
     ORDER BY item.sku LIMIT ${BATCH}`,
    [siteId, after, [...nodeIds]],
  );
  return result.rows;
}

async function writeStatuses(
  trx: Knex.Transaction,
  siteId: number,
  changed: readonly { sku: string; t: ItemStatusCode }[],
): Promise<void> {
  await trx.raw(
    `UPDATE item SET status = changed.t, source_hash = NULL, updated_at = now(), ${KEEPING_TIME_OF_ROWS}
     FROM jsonb_to_recordset(?::jsonb) AS changed (sku text, t "char") ${heldItem('changed')}
     WHERE item.ctid = held.place`,
    [JSON.stringify(changed), siteId],
  );
}
