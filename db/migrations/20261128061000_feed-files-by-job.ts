/** The files of feeds by their job, and those that are to be taken again: a feed may have taken hundreds of thousands. */
import type { Knex } from 'knex';

/** Built without a lock that would keep files from being taken, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw('CREATE INDEX CONCURRENTLY feed_file_job_ix ON feed_file (job_id)');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY feed_file_released_ix ON feed_file (feed_id, name) WHERE released_at IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  for (const one of ['job', 'released']) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS feed_file_${one}_ix`);
}
