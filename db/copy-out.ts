/** Bulk read: streams the rows of a query from one snapshot as bytes, with COPY. */
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Db } from './connection.js';
import { querySql, type Sql, sql } from './sql.js';

/** A transaction that reads everything as of one moment. */
export interface Snapshot {
  readonly trx: Knex.Transaction;
  /** The Postgres process of this transaction, by which the progress of its COPY can be read. */
  readonly backendPid: number;
}

/**
 * How long a reader of rows may pause, as one does whose store is slow. In the middle of a COPY Postgres cannot send, and
 * would take a client that reads nothing for gone after TCP's own time limit. It is done with a COPY when its last rows lie
 * in buffers of the network: until the reader has taken them, nothing can be asked on the connection that would prolong the
 * idle transaction. What a lost process leaves behind holds no lock for which writers wait.
 */
const PAUSE_WITHIN = '10min';

/**
 * Reads in one snapshot, which is read-only.
 * @throws what `read` throws, even if the rollback fails as well
 */
export async function inSnapshot<T>(db: Db, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  const reading = db.transaction(
    async (trx) => {
      // The first statement fixes the snapshot. JIT is off, because compiling one expression per column takes longer
      // than it saves, and with a thousand columns longer than everything else.
      const { rows } = await trx.raw(
        `SELECT pg_backend_pid() AS pid, set_config('jit', 'off', true),
                set_config('idle_in_transaction_session_timeout', '${PAUSE_WITHIN}', true),
                set_config('tcp_user_timeout', '${PAUSE_WITHIN}', true)`,
      );
      try {
        return await read({ trx, backendPid: rows[0].pid });
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  // The rollback on a destroyed connection fails too; its error must not replace the first one.
  return reading.catch((error: unknown) => {
    throw failure === undefined ? error : failure.error;
  });
}

/** How COPY writes rows. `raw`: one column of text without line ends and control characters, one line per row. */
export type CopyFormat = { readonly csv: { readonly delimiter: string } } | 'text' | 'raw';

/**
 * Runs `COPY (query) TO STDOUT` and passes the bytes, UTF-8, to `consume`.
 * @param signal stops it at once by destroying the connection: there is no other way to leave a COPY
 * @returns the number of rows
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
  const abandon = () => {
    // A sort, for example, notices a lost connection only at its end, but a cancellation at once.
    db.raw('SELECT pg_cancel_backend(?)', [backendPid]).catch(ignore);
    stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('the export was stopped'));
    client.connection.stream.destroy();
  };
  stream.on('error', ignore);
  signal.addEventListener('abort', abandon, { once: true });
  try {
    await consume(stream);
    // The count arrives after the last row: once another statement has run, it is there.
    await trx.raw('SELECT 1');
    return stream.rowCount;
  } catch (error) {
    abandon();
    throw error;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

/** Returns how many rows the planner expects of a query. */
export async function estimateRows({ trx }: Snapshot, query: Sql): Promise<number> {
  type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] };
  const [explained] = await querySql<Explained>(trx, sql`EXPLAIN (FORMAT JSON) ${query}`);
  return explained?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** Returns how many rows a COPY has written so far; null when it has not begun or is done. */
export async function rowsCopied(db: Db, backendPid: number): Promise<number | null> {
  const { rows } = await db.raw('SELECT tuples_processed FROM pg_stat_progress_copy WHERE pid = ?', [backendPid]);
  return rows[0]?.tuples_processed ?? null;
}

/** Members that are missing in pg's types. */
interface ConnectionOf {
  readonly connection: { readonly stream: { destroy(): void } };
}

function optionsOf(format: CopyFormat): string {
  if (format === 'text') return 'FORMAT text';
  // Two characters that no JSON text contains.
  if (format === 'raw') return `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01'`;
  return `FORMAT csv, DELIMITER ${format.csv.delimiter === '\t' ? "E'\\t'" : `'${format.csv.delimiter}'`}`;
}

/** The reader of the stream reports its errors. */
function ignore(): void {}
