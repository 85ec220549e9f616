/** Repeats transactions that Postgres aborted because of a deadlock or a serialization failure. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Db } from './connection.js';

const MAX_TRIES = 6;
/** The pause doubles and has a random part, so that the same transactions do not collide again. */
const FIRST_PAUSE_MS = 10;

/** serialization_failure, deadlock_detected */
const LOST_RACE = new Set(['40001', '40P01']);
/** lock_not_available */
const LOCK_TIMEOUT = new Set(['55P03']);

/**
 * Like `db.transaction(work)`, but with up to six tries.
 * @param db the pool. The whole transaction is repeated; if this is part of one, `work` runs once in it, because only
 *   who began it can repeat it
 * @param work must not have effects outside of the transaction
 */
export async function withRetries<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db);
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (tries === MAX_TRIES || !isLostRace(error)) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

function isTransaction(db: Db): db is Knex.Transaction {
  return db.isTransaction === true;
}

/** Whether Postgres aborted a transaction in favour of another one. */
export function isLostRace(error: unknown): boolean {
  return hasState(error, LOST_RACE);
}

/** Whether a statement has waited for a lock of another transaction for longer than `lock_timeout`. */
export function isLockedOut(error: unknown): boolean {
  return hasState(error, LOCK_TIMEOUT);
}

function hasState(error: unknown, states: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && states.has(error.code)) return true;
  // Objection's models wrap the driver's error.
  return 'nativeError' in error && hasState(error.nativeError, states);
}
