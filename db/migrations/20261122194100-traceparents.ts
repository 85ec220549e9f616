/** The W3C trace context of the request that a job or an event comes from. New columns without a default: no rewrite. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE job ADD COLUMN traceparent text COLLATE "C"');
  await knex.raw('ALTER TABLE event ADD COLUMN traceparent text COLLATE "C"');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE event DROP COLUMN traceparent');
  await knex.raw('ALTER TABLE job DROP COLUMN traceparent');
}
