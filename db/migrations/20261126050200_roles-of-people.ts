/** Tokens of people have a role. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Null: a token that belongs to no person whom somebody has invited.
  await knex.raw('ALTER TABLE access_token ADD COLUMN role text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE access_token DROP COLUMN role');
}
