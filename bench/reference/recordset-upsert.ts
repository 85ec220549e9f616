/** The reference of JSON bulk requests: the same rows, ready-made, upserted by `jsonb_to_recordset` on one connection. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { emptyTables, REFERENCE_TABLE, requireRows } from './item-copy.js';

/** From 1,000 to 10,000 a statement the difference is lost in the noise. */
const ROWS_PER_STATEMENT = 5_000;

const UPSERT = `
  INSERT INTO ${REFERENCE_TABLE} (site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash)
  SELECT site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash
  FROM jsonb_to_recordset($1::jsonb) AS new
    (site_id integer, sku text, node_id integer, status "char", parent_sku text, channels integer[],
     attributes jsonb, source_hash bigint)
  ON CONFLICT (site_id, sku) DO UPDATE SET node_id = excluded.node_id, status = excluded.status,
    parent_sku = excluded.parent_sku, channels = excluded.channels, attributes = excluded.attributes,
    source_hash = excluded.source_hash, updated_at = now()`;

/** Writes the rows that `item` holds as the statements' parameters. @returns the paths, in key order */
export async function writeParameters(db: pg.Client, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (let last = ''; ; ) {
    const { rows } = await db.query<{ count: number; last: string; parameter: string }>(
      `SELECT count(*)::integer AS count, max(sku) AS last, json_agg(row)::text AS parameter
       FROM (SELECT site_id, sku, node_id, status, parent_sku, channels, attributes, source_hash
             FROM item WHERE sku > $1 ORDER BY sku LIMIT ${ROWS_PER_STATEMENT}) AS row`,
      [last],
    );
    const [batch] = rows;
    if (batch === undefined || batch.count === 0) return paths;
    const path = join(folder, `parameter-${paths.length}.json`);
    await writeFile(path, batch.parameter);
    paths.push(path);
    last = batch.last;
  }
}

/**
 * Upserts all into the empty table, a transaction a statement.
 * @returns seconds that the statements took; reading their parameters from disk is not counted
 */
export async function runRecordsetUpsert(db: pg.Client, parameters: readonly string[], rows: number): Promise<number> {
  await emptyTables(db);
  let milliseconds = 0;
  for (const path of parameters) {
    const parameter = await readFile(path, 'utf8');
    const start = performance.now();
    await db.query(UPSERT, [parameter]);
    milliseconds += performance.now() - start;
  }
  await requireRows(db, REFERENCE_TABLE, rows);
  return milliseconds / 1000;
}
