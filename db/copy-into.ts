/** Bulk load: ready-made COPY text straight into a table, inside the caller's transaction. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * Runs `COPY … FROM STDIN` on the transaction's own connection.
 * @param statement the COPY statement, text format
 * @param text COPY text in pieces of whole rows, UTF-8, each row ended by a newline
 * @throws whatever Postgres raises, a unique violation (23505) included: roll back to a savepoint then
 */
export async function copyInto(trx: Knex.Transaction, statement: string, text: Iterable<Buffer>): Promise<void> {
  const client = (await trx.client.acquireConnection()) as Client;
  await pipeline(Readable.from(text, { objectMode: true }), client.query(copyFrom(statement)));
}
