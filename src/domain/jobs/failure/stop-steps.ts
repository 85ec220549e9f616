/**
 * Ends the transactions in which steps of a job run, so that its cancellation waits neither for a long statement
 * nor for a worker that computes while its transaction holds locks.
 */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import { isLockedOut, withRetries } from '../../../../db/with-retries.js';
import { codeOf } from '../../../platform/error-code.js';

/** How long a cancellation waits for a transaction of the job that may be about to commit. */
export const PATIENCE_MS = 500;
/** How long the session of an ended transaction may take to release its locks. */
const RELEASE_MS = 500;
/** SQLSTATE */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Runs a transaction that waits for the locks of a job for a limited time. When the time is over, the transactions in
 * which the job's steps run are ended, whatever their workers do, and the work is tried again.
 * @param patienceMs how long a step may still commit
 * @param work must not have effects outside of the transaction. `stepsEnded`: transactions of the job that were ended
 * @throws what `work` throws, and 55P03 when something else holds the locks
 */
export async function withoutSteps<T>(
  db: Db,
  jobId: string,
  patienceMs: number,
  work: (trx: Knex.Transaction, stepsEnded: number) => Promise<T>,
): Promise<T> {
  let stepsEnded = 0;
  for (const waitMs of [patienceMs, RELEASE_MS]) {
    try {
      return await withRetries(db, async (trx) => {
        await trx.raw(`SELECT set_config('lock_timeout', '${waitMs}ms', true)`);
        return work(trx, stepsEnded);
      });
    } catch (error) {
      if (!isLockedOut(error)) throw error;
    }
    stepsEnded += await endSteps(db, jobId);
  }
  return withRetries(db, (trx) => work(trx, stepsEnded));
}

/**
 * Ends the sessions that run steps of the job: Postgres rolls back their transactions, and their workers get an error.
 * They are found and ended by one statement, by the lock that only such a transaction holds.
 * @returns how many there were; 0 when it is not permitted
 */
async function endSteps(db: Db, jobId: string): Promise<number> {
  const ending = db.raw(
    `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))::integer AS ended
     FROM pg_locks CROSS JOIN (SELECT hashtextextended(?, ?) AS mark) AS step
     WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid = ((mark >> 32) & 4294967295)::oid AND objid = (mark & 4294967295)::oid`,
    [jobId, ADVISORY_LOCKS.step],
  );
  try {
    return (await ending).rows[0].ended;
  } catch (error) {
    // This role may not end the sessions of the workers: they can only be waited for.
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return 0;
    throw error;
  }
}
