/** Bulk load: ready-made COPY text straight into a table, inside the caller's transaction. */
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * Runs `COPY … FROM STDIN` on the transaction's own connection.
 * @param statement the COPY statement, text format
 * @param text COPY text rows, each ended by a newline
 * @throws whatever Postgres raises, a unique violation (23505) included: roll back to a savepoint then
 */
export async function copyInto(trx: Knex.Transaction, statement: string, text: string): Promise<void> {
  const client = (await trx.client.acquireConnection()) as Client;
  await new Promise<void>((resolve, reject) => {
    const stream = client.query(copyFrom(statement));
    stream.on('error', reject);
    stream.on('finish', resolve);
    stream.end(text);
  });
}
