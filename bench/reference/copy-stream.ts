/** The reference of imports: one COPY stream of ready-made rows, from a file, straight into an identical table. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { emptyTables, ITEM_COLUMNS, REFERENCE_TABLE, requireRows } from './item-copy.js';

/** Writes the rows that `item` holds to a file, in key order as the import's file has them. */
export async function writeCopyFile(db: pg.Client, path: string): Promise<void> {
  const statement = `COPY (SELECT ${ITEM_COLUMNS} FROM item ORDER BY site_id, sku) TO STDOUT`;
  await pipeline(db.query(copyTo(statement)), createWriteStream(path, { flush: true }));
  if ((await stat(path)).size === 0) throw new Error('the import left no items to compare with');
}

/**
 * Loads the file into the empty table, in a transaction of its own.
 * @returns seconds from the first byte read to the commit
 */
export async function runCopy(db: pg.Client, path: string, rows: number): Promise<number> {
  await emptyTables(db);
  const start = performance.now();
  const source = createReadStream(path, { highWaterMark: 1 << 20 });
  await pipeline(source, db.query(copyFrom(`COPY ${REFERENCE_TABLE} (${ITEM_COLUMNS}) FROM STDIN`)));
  const seconds = (performance.now() - start) / 1000;
  await requireRows(db, REFERENCE_TABLE, rows);
  return seconds;
}
