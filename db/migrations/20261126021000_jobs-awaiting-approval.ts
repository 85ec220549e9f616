/** The index of jobs that wait for an approval, by the time since when they do. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being accepted, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw(
    "CREATE INDEX CONCURRENTLY job_awaiting_approval_ix ON job (updated_at) WHERE status = 'AWAITING_APPROVAL'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS job_awaiting_approval_ix');
}
