/** Bulk read: the rows of a query as a stream of bytes, from one snapshot, as fast as Postgres can write them. */
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Db } from './connection.js';
import type { Sql } from './sql.js';

/** A transaction in which everything is read as it stood at one moment. */
export interface Snapshot {
  readonly trx: Knex.Transaction;
  /** The process that serves it, by which others may ask how far its COPY is. */
  readonly backendPid: number;
}

/**
 * Reads in one snapshot; nothing can be written in it.
 * @throws what `read` throws, whatever then becomes of the transaction
 */
export async function inSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  const reading = db.transaction(
    async (trx) => {
      // The first statement fixes the snapshot. Compiling an expression a column takes longer than it saves, and of a
      // thousand columns longer than everything else.
      const { rows } = await trx.raw("SELECT pg_backend_pid() AS pid, set_config('jit', 'off', true)");
      try {
        return await read({ trx, backendPid: rows[0].pid });
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  // A connection that was given up cannot be rolled back on, and that would be told instead.
  return reading.catch((error: unknown) => {
    throw failure === undefined ? error : failure.error;
  });
}

/** How COPY writes rows. `raw`: one column, whose text holds no line ends and no control characters, a line a row. */
export type CopyFormat = { readonly csv: { readonly delimiter: string } } | 'text' | 'raw';

/**
 * Runs `COPY (query) TO STDOUT` and lets `consume` have the bytes, UTF-8.
 * @param signal stops it at once, for which the connection is given up: there is no other way to leave a COPY
 * @returns how many rows there were
 * @throws what Postgres raises, what `consume` throws, and the signal's reason
 */
export async function copyOut(
  { trx, backendPid }: Snapshot,
  db: Db,
  query: Sql,
  format: CopyFormat,
  signal: AbortSignal,
  consume: (rows: Readable) => Promise<void>,
): Promise<number> {
  signal.throwIfAborted();
  const client = (await trx.client.acquireConnection()) as Client & ConnectionOf;
  const stream = client.query(copyTo(`COPY (${query.text}) TO STDOUT (${optionsOf(format)})`));
  const giveUp = () => {
    // A sort, say, notices a lost connection when it is through; this it notices at once.
    db.raw('SELECT pg_cancel_backend(?)', [backendPid]).catch(ignore);
    stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('the export was stopped'));
    client.connection.stream.destroy();
  };
  stream.on('error', ignore);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await consume(stream);
    // The count comes behind the last row: who asks for something after it has been told.
    await trx.raw('SELECT 1');
    return stream.rowCount;
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** How many rows the planner expects of a query. */
export async function estimateRows({ trx }: Snapshot, query: Sql): Promise<number> {
  const client = (await trx.client.acquireConnection()) as Client;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    `EXPLAIN (FORMAT JSON) ${query.text}`,
  );
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** Rows that a COPY has written so far; null: it has not begun, or is through. */
export async function rowsCopied(db: Db, backendPid: number): Promise<number | null> {
  const { rows } = await db.raw('SELECT tuples_processed FROM pg_stat_progress_copy WHERE pid = ?', [backendPid]);
  return rows[0]?.tuples_processed ?? null;
}

/** What pg's types leave out. */
interface ConnectionOf {
  readonly connection: { readonly stream: { destroy(): void } };
}

function optionsOf(format: CopyFormat): string {
  if (format === 'text') return 'FORMAT text';
  // Two characters that no JSON text holds.
  if (format === 'raw') return `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01'`;
  return `FORMAT csv, DELIMITER ${format.csv.delimiter === '\t' ? "E'\\t'" : `'${format.csv.delimiter}'`}`;
}

/** What went wrong is told by whoever reads the stream. */
function ignore(): void {}
