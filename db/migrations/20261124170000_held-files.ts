/**
 * How long a file is held after its upload, for its client to say how it is to be imported. Null: it is imported at once.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE file ADD COLUMN hold_hours integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE file DROP COLUMN hold_hours');
}
