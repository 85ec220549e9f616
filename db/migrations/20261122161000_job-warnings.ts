/** What was noticed about rows that were applied: by chunk, and as the summary of a job that has ended. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Without a default: no row is rewritten, and rows without warnings are as short as before.
  await knex.raw(`
    ALTER TABLE job_chunk ADD COLUMN warnings jsonb;
    ALTER TABLE job ADD COLUMN warnings jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP COLUMN warnings;
    ALTER TABLE job_chunk DROP COLUMN warnings;
  `);
}
