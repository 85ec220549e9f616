/** Keeps when the last of the changes that were dropped got its position: who asks for changes since a time may have missed some. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE change_feed ADD COLUMN pruned_numbered_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE change_feed DROP COLUMN pruned_numbered_at');
}
