/** How many notices the owner of an endpoint got since it began to fail. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // A constant default: the table is not rewritten.
  await knex.raw('ALTER TABLE endpoint_health ADD COLUMN notices integer NOT NULL DEFAULT 0');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE endpoint_health DROP COLUMN notices');
}
