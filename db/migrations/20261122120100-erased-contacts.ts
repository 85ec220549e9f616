/** Records that the contacts of an event were erased, so that answers to attempts under way are not stored afterwards. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE event ADD COLUMN contacts_erased_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE event DROP COLUMN contacts_erased_at');
}
