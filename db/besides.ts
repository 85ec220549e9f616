/** Lets a step that holds a transaction use another connection, without waiting there for ever. */
import type { Knex } from 'knex';
import type { Db } from './connection.js';
import { isLockedOut, withRetries } from './with-retries.js';

/**
 * How long the second connection waits for a lock. It is longer than other transactions of Longshore hold what it needs,
 * and short for those who wait until the first one gives its locks back.
 */
const PATIENCE_MS = 3_000;

/**
 * A step could not get on because somebody's lock lies between its two connections. Postgres does not see that one of
 * them waits for the other, so that this stands for the deadlock that it would have found (40P01): `withRetries` undoes
 * the first transaction, which gives all its locks back, and runs it anew.
 */
class UnseenDeadlock extends Error {
  override readonly name = 'UnseenDeadlock';
  readonly code = '40P01';
}

/**
 * Runs a transaction beside one that the caller holds. The rule is that a step with a transaction waits for no other
 * connection except by this: a table lock that is asked for between the two would stop both for ever.
 * @param db the pool
 * @param work must not have effects outside of the transaction
 * @throws what `work` throws, and an error by which `withRetries` repeats the transaction of the caller
 */
export async function besides<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  try {
    return await withRetries(db, async (trx) => {
      await trx.raw(`SELECT set_config('lock_timeout', '${PATIENCE_MS}ms', true)`);
      return work(trx);
    });
  } catch (error) {
    if (!isLockedOut(error)) throw error;
    throw new UnseenDeadlock('a lock lies between the two connections of a step', { cause: error });
  }
}
