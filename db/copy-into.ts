/** Bulk load: ready-made COPY text straight into a table, inside the caller's transaction. */
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * Runs `COPY … FROM STDIN` on the transaction's own connection.
 * @param statement the COPY statement, text format
 * @param text COPY text in pieces of whole rows, UTF-8, each row ended by a newline; each is asked for when the one before
 *   has been taken
 * @param flushed called between pieces when all of them so far are with the system: their memory is free to use again
 * @throws whatever Postgres raises, a unique violation (23505) included: roll back to a savepoint then
 */
export async function copyInto(
  trx: Knex.Transaction,
  statement: string,
  text: Iterable<Buffer>,
  flushed: () => void = () => undefined,
): Promise<void> {
  const client = (await trx.client.acquireConnection()) as Client;
  const copy = client.query(copyFrom(statement));
  const { stream: socket } = client.connection;
  function* watched(): Generator<Buffer> {
    for (const piece of text) {
      yield piece;
      if (copy.writableLength === 0 && socket.writableLength === 0) flushed();
    }
  }
  await pipeline(watched, copy);
}
