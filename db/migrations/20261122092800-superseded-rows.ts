/** Records with a superseded row which row won, so that the end of the job can say whether that row failed. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE job_error ADD COLUMN winning_row integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE job_error DROP COLUMN winning_row');
}
