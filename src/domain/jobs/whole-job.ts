/** Jobs of files that take effect as a whole or not at all: who is at one, and what is kept of one that was undone. */

import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';
import { withRetries } from '../../../db/with-retries.js';
import { OUTCOME } from './chunk-result.js';
import { type JobOptions, takesEffectAsAWhole } from './job-options.js';

/** Whether the job's chunks are applied in one transaction. Rows that came in a request always are, in a step of their own. */
export function isWholeJob(job: Pick<Job, 'input_file_id' | 'options'>): boolean {
  return job.input_file_id !== null && takesEffectAsAWhole(optionsOf(job));
}

/** Whether nothing of what the job does may stay. */
export function isDryRun(job: Pick<Job, 'options'>): boolean {
  return optionsOf(job).validateOnly;
}

function optionsOf({ options }: Pick<Job, 'options'>): JobOptions {
  return options as unknown as JobOptions;
}

/**
 * Waits until nobody else is at the job: another holder of the same dispatch, or the one before, whose transaction is
 * still being undone. Held to the end of the transaction, and first of all that it locks.
 */
export async function lockWholeJob(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, ?))', [jobId, ADVISORY_LOCKS.atomicJob]);
}

/**
 * Writes something down that outlives the job's own transaction, while the dispatch counts.
 * @returns null when it does not: the job was cancelled, given up, or dispatched anew
 */
export function recordWhileDue<T>(
  db: Db,
  { jobId, dispatch }: { readonly jobId: string; readonly dispatch: number },
  record: (trx: Knex.Transaction) => Promise<T>,
): Promise<T | null> {
  return withRetries(db, async (trx) => {
    // A cancellation waits for this lock, or is seen: nothing is written down behind its back.
    const due = await trx('job').where({ id: jobId, step: 'apply-all', dispatch }).forShare().first('id');
    return due === undefined ? null : record(trx);
  });
}

/** Takes back what an attempt before has written down. */
export async function forgetRecords(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx('job_error').where({ job_id: jobId }).delete();
  await trx('job_chunk').where({ job_id: jobId }).whereNot({ status: 'pending' }).update({
    status: 'pending',
    outcomes: null,
    created_count: 0,
    updated_count: 0,
    unchanged_count: 0,
    error_count: 0,
    done_at: null,
  });
}

/** Nothing of the job was applied after all: only what is wrong with its rows stays on record. */
export async function recordNothingApplied(trx: Knex.Transaction, jobId: string): Promise<void> {
  await trx('job_chunk')
    .where({ job_id: jobId })
    .whereNotNull('outcomes')
    .update({
      outcomes: trx.raw("regexp_replace(outcomes, ?, ?, 'g')", [
        `[^${OUTCOME.failed}${OUTCOME.duplicate}]`,
        OUTCOME.later,
      ]),
      created_count: 0,
      updated_count: 0,
      unchanged_count: 0,
    });
}
