/** Transactions that lost to another are run again: a deadlock or a serialization failure is nobody's fault. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Db } from './connection.js';

const MAX_TRIES = 6;
/** Doubling, and of random length: those who met once should not meet again. */
const FIRST_PAUSE_MS = 10;

/** serialization_failure, deadlock_detected */
const LOST_RACE = new Set(['40001', '40P01']);

/**
 * Like `db.transaction(work)`, but tried up to six times.
 * @param db the pool: what is lost is the whole transaction, so it cannot be part of another
 * @param work has no effects outside the transaction
 */
export async function withRetries<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (tries === MAX_TRIES || !isLostRace(error)) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

/** Whether Postgres gave a transaction up for another's sake. */
export function isLostRace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && LOST_RACE.has(error.code)) return true;
  // What objection's models throw.
  return 'nativeError' in error && isLostRace(error.nativeError);
}
