/** An empty table like `item`, and the rows that the service wrote, ready-made: what both references start from. */
import type pg from 'pg';

/** What the service itself writes; the rest are the columns' defaults. */
export const ITEM_COLUMNS = 'site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash';
export const REFERENCE_TABLE = 'item_reference';

/** The same columns, defaults and indexes, in the same database. */
export async function createReferenceTable(db: pg.Client): Promise<void> {
  await db.query(`DROP TABLE IF EXISTS ${REFERENCE_TABLE}`);
  await db.query(`CREATE TABLE ${REFERENCE_TABLE} (LIKE item INCLUDING ALL)`);
}

/** Nothing of an earlier run is left to pay for: no rows, no dirty pages, no full transaction log. */
export async function emptyTables(db: pg.Client): Promise<void> {
  await db.query(`TRUNCATE item, item_unique_value, ${REFERENCE_TABLE}`);
  await db.query('CHECKPOINT');
}

/** @throws when a table does not hold as many rows as it should */
export async function requireRows(db: pg.Client, table: string, expected: number): Promise<void> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table}`);
  const count = rows[0]?.count;
  if (count !== expected) throw new Error(`${table} holds ${count} rows, not ${expected}: the figures mean nothing`);
}
