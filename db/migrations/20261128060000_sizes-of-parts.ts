/** The size of the whole file beside each of its parts, so that a piece is never taken for the whole. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Null: a part that the release before has recorded.
  await knex.raw('ALTER TABLE file_part ADD COLUMN total bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE file_part DROP COLUMN total');
}
