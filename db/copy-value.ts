/** Reads one long text as bytes. As a result of a query, it would be copied until it is whole, and become a string. */
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Sql } from './sql.js';

/** COPY's header, the number of columns, and the length of the value. */
const BEFORE = 19 + 2 + 4;
/** In place of the number of columns of a next row. */
const AFTER = 2;

/**
 * Runs `COPY (query) TO STDOUT` on the transaction's own connection, for a query of one row and one text.
 * @param length the bytes of the text, in UTF-8
 * @throws what Postgres raises, and an error when the text is not there, or of another length
 */
export async function copyValue(trx: Knex.Transaction, { text }: Sql, length: number): Promise<Buffer> {
  const client = (await trx.client.acquireConnection()) as Client;
  const value = Buffer.allocUnsafe(length);
  let at = -BEFORE;
  for await (const piece of client.query(copyTo(`COPY (${text}) TO STDOUT (FORMAT binary)`)) as AsyncIterable<Buffer>) {
    if (at + piece.length > 0 && at < length) piece.copy(value, Math.max(at, 0), Math.max(-at, 0));
    at += piece.length;
  }
  if (at !== length + AFTER) throw new Error(`the text has ${at - AFTER} bytes, not ${length}`);
  return value;
}
