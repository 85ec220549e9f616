/** Writes the items of one chunk: new ones by COPY, changed ones by one statement. */
import type { Knex } from 'knex';
import { copyInto } from '../../../../../db/copy-into.js';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { ItemState } from '../resolve/item-state.js';
import { COPY_COLUMNS, copyRows, type NewItems, PieceMemory } from './copy-rows.js';

/** The savepoint before a chunk's first row. */
export const BEFORE_ROWS = 'before_rows';

/** The SQLSTATE of a unique violation. */
const UNIQUE_VIOLATION = '23505';

/**
 * Inserts items that are assumed to be new.
 * @returns false when another job inserted one of them meanwhile; the transaction is then back at the savepoint
 *   `BEFORE_ROWS`, which the caller has set
 * @throws what Postgres raises; when not `guarded`, also a collision, because there is no savepoint
 */
export async function copyNewItems(
  trx: Knex.Transaction,
  groups: readonly NewItems[],
  guarded = true,
): Promise<boolean> {
  try {
    // The type of items is the column's default, so that only bundles need to write their type.
    const anyBundle = groups.some(({ items }) => items.some(({ type }) => type === 'B'));
    await copyItems(trx, anyBundle ? ofType(groups, 'I') : groups, null);
    if (anyBundle) await copyItems(trx, ofType(groups, 'B'), 'B');
  } catch (error) {
    if (!guarded || (error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_ROWS}`);
    return false;
  }
  return true;
}

function ofType(groups: readonly NewItems[], wanted: ItemTypeCode): NewItems[] {
  return groups.map(({ siteId, items }) => ({ siteId, items: items.filter(({ type }) => type === wanted) }));
}

/** @param type null for items, whose type is the column's default */
async function copyItems(trx: Knex.Transaction, groups: readonly NewItems[], type: ItemTypeCode | null): Promise<void> {
  if (groups.every(({ items }) => items.length === 0)) return;
  const pieces = new PieceMemory();
  const columns = type === null ? COPY_COLUMNS : `type, ${COPY_COLUMNS}`;
  const ordered = groups.map(({ siteId, items }) => ({ siteId, items: inKeyOrder(items) }));
  const rows = copyRows(ordered, pieces, type);
  await copyInto(trx, `COPY item (${columns}) FROM STDIN (FORMAT binary)`, rows, () => pieces.release());
  pieces.release();
}

/**
 * Updates items whose rows the transaction has locked, by their ctids: with a join by their keys, ten of them may make
 * Postgres read all items of the site.
 */
export async function updateItems(trx: Knex.Transaction, items: readonly ItemState[]): Promise<void> {
  if (items.length === 0) return;
  // The documents are already JSON text, so that the text is joined, not stringified again.
  const rows = items.map(
    (item) =>
      `{"type":"${item.type}","place":${JSON.stringify(item.place)},"node_id":${item.nodeId},"status":"${item.status}","parent_sku":${JSON.stringify(item.parentSku)},"channels":${JSON.stringify(item.channels)},"source_hash":${item.hash},"attributes":${item.document.toJson()}}`,
  );
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `UPDATE item SET type = new.type, node_id = new.node_id, status = new.status, parent_sku = new.parent_sku,
       channels = CASE WHEN jsonb_typeof(new.channels) = 'array'
         THEN ARRAY(SELECT jsonb_array_elements_text(new.channels)::integer) END,
       attributes = new.attributes, source_hash = new.source_hash, updated_at = now(), rows_updated_at = NULL
     FROM jsonb_to_recordset(?::jsonb) AS new
       (type "char", place tid, node_id integer, status "char", parent_sku text, channels jsonb, source_hash bigint, attributes jsonb)
     WHERE item.ctid = new.place`,
    [`[${rows.join(',')}]`],
  );
  if (rowCount !== items.length) throw new Error(`${rowCount} of ${items.length} locked items were found`);
}

/** Keys are locked in the same order everywhere, so that two jobs cannot deadlock. */
function inKeyOrder(items: readonly ItemState[]): readonly ItemState[] {
  for (let index = 1; index < items.length; index++) {
    if ((items[index - 1] as ItemState).sku > (items[index] as ItemState).sku) {
      return [...items].sort((a, b) => (a.sku < b.sku ? -1 : a.sku > b.sku ? 1 : 0));
    }
  }
  return items;
}
