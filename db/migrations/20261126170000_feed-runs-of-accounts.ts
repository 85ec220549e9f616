/** The index of runs of feeds that have not ended, by their account, which may have few at once. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being accepted, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw(
    "CREATE INDEX CONCURRENTLY job_feed_ix ON job (account_id, created_at) WHERE completed_at IS NULL AND step = 'feed'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS job_feed_ix');
}
