/** The files of feeds by their job, and those that are to be taken again: a feed may have taken hundreds of thousands. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX feed_file_job_ix ON feed_file (job_id);
    CREATE INDEX feed_file_released_ix ON feed_file (feed_id, name) WHERE released_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX feed_file_job_ix, feed_file_released_ix');
}
