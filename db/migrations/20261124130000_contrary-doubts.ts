/** Doubts about columns that a refused number with the other separator has cast, which no number of the column settles. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE column_doubt ADD COLUMN contrary boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE column_doubt DROP COLUMN contrary');
}
