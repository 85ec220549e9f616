/** What feeds remember to look again at a file that is still being written, to take a file once more, and to ask a server only for what is new. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE feed
      ADD COLUMN left_over smallint NOT NULL DEFAULT 0,
      ADD COLUMN seen_file jsonb
  `);
  await knex.raw('ALTER TABLE feed_file ADD COLUMN released_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE feed_file DROP COLUMN released_at');
  await knex.raw('ALTER TABLE feed DROP COLUMN left_over, DROP COLUMN seen_file');
}
