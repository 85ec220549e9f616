/** Bulk load: writes the rows of a COPY into a table, inside the caller's transaction. */
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/**
 * Runs `COPY … FROM STDIN` on the transaction's own connection.
 * @param statement the COPY statement
 * @param rows what it reads, in pieces, in its format; the next piece is read when the previous one was accepted
 * @param flushed called between pieces when all earlier ones were passed to the operating system: their memory may be
 *   reused
 * @throws what Postgres raises, including unique violations (23505): roll back to a savepoint in that case
 */
export async function copyInto(
  trx: Knex.Transaction,
  statement: string,
  rows: Iterable<Buffer>,
  flushed: () => void = () => undefined,
): Promise<void> {
  const client = (await trx.client.acquireConnection()) as Client;
  const copy = client.query(copyFrom(statement));
  const { stream: socket } = client.connection;
  function* watched(): Generator<Buffer> {
    for (const piece of rows) {
      yield piece;
      if (copy.writableLength === 0 && socket.writableLength === 0) flushed();
    }
  }
  await pipeline(watched, copy);
}

/**
 * Runs `COPY … FROM STDIN` with all that a stream contains.
 * @param unpack converts the bytes of the stream to what the COPY reads
 * @throws as copyInto
 */
export async function copyStreamInto(
  trx: Knex.Transaction,
  statement: string,
  packed: Readable,
  unpack: Duplex,
): Promise<void> {
  const client = (await trx.client.acquireConnection()) as Client;
  await pipeline(packed, unpack, client.query(copyFrom(statement)));
}
