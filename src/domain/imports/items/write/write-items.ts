/** Writes the items of one chunk: new ones by COPY, changed ones by one statement. */
import type { Knex } from 'knex';
import { copyInto } from '../../../../../db/copy-into.js';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { ItemState } from '../resolve/item-state.js';
import { COPY_COLUMNS, copyRows, PieceMemory } from './copy-rows.js';

/** The savepoint before a chunk's first row. */
export const BEFORE_ROWS = 'before_rows';

/** Postgres' code for a unique violation. */
const UNIQUE_VIOLATION = '23505';

/**
 * Loads items that are believed to be new.
 * @returns false when another job inserted one of them meanwhile: the transaction is back at the savepoint `BEFORE_ROWS`
 *   then, which the caller has made
 * @throws what Postgres raises; when not `guarded`, there being no savepoint, a collision too
 */
export async function copyNewItems(
  trx: Knex.Transaction,
  siteId: number,
  items: readonly ItemState[],
  guarded = true,
): Promise<boolean> {
  if (items.length === 0) return true;
  try {
    // The type of items is the column's default, so that only bundles pay for theirs.
    const anyBundle = items.some(({ type }) => type === 'B');
    await copyItems(trx, siteId, anyBundle ? items.filter(({ type }) => type === 'I') : items, null);
    if (anyBundle)
      await copyItems(
        trx,
        siteId,
        items.filter(({ type }) => type === 'B'),
        'B',
      );
  } catch (error) {
    if (!guarded || (error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    await trx.raw(`ROLLBACK TO SAVEPOINT ${BEFORE_ROWS}`);
    return false;
  }
  return true;
}

/** @param type null: items, as the column has it by default */
async function copyItems(
  trx: Knex.Transaction,
  siteId: number,
  items: readonly ItemState[],
  type: ItemTypeCode | null,
): Promise<void> {
  if (items.length === 0) return;
  const pieces = new PieceMemory();
  const columns = type === null ? COPY_COLUMNS : `type, ${COPY_COLUMNS}`;
  const before = type === null ? '' : `${type}\t`;
  const text = copyRows(siteId, inKeyOrder(items), pieces, before);
  await copyInto(trx, `COPY item (${columns}) FROM STDIN`, text, () => pieces.release());
  pieces.release();
}

/**
 * Rewrites items whose rows the transaction has locked, where they lie: joined to the table by their keys, ten of them may
 * have all items of the site read.
 */
export async function updateItems(trx: Knex.Transaction, siteId: number, items: readonly ItemState[]): Promise<void> {
  if (items.length === 0) return;
  // The documents are JSON text already: joined, not stringified again.
  const rows = items.map(
    (item) =>
      `{"place":${JSON.stringify(item.place)},"node_id":${item.nodeId},"status":"${item.status}","parent_sku":${JSON.stringify(item.parentSku)},"channels":${JSON.stringify(item.channels)},"source_hash":${item.hash},"attributes":${item.document.toJson()}}`,
  );
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `UPDATE item SET node_id = new.node_id, status = new.status, parent_sku = new.parent_sku,
       channels = CASE WHEN jsonb_typeof(new.channels) = 'array'
         THEN ARRAY(SELECT jsonb_array_elements_text(new.channels)::integer) END,
       attributes = new.attributes, source_hash = new.source_hash, updated_at = now()
     FROM jsonb_to_recordset(?::jsonb) AS new
       (place tid, node_id integer, status "char", parent_sku text, channels jsonb, source_hash bigint, attributes jsonb)
     WHERE item.ctid = new.place`,
    [`[${rows.join(',')}]`],
  );
  if (rowCount !== items.length)
    throw new Error(`${rowCount} of ${items.length} locked items of site ${siteId} were found`);
}

/** Keys are locked in one order everywhere, so that two jobs cannot wait for each other. */
function inKeyOrder(items: readonly ItemState[]): readonly ItemState[] {
  for (let index = 1; index < items.length; index++) {
    if ((items[index - 1] as ItemState).sku > (items[index] as ItemState).sku) {
      return [...items].sort((a, b) => (a.sku < b.sku ? -1 : a.sku > b.sku ? 1 : 0));
    }
  }
  return items;
}
