/** Finds the feeds of which a run was asked for. */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS feed_asked_ix');
  await knex.raw('CREATE INDEX CONCURRENTLY feed_asked_ix ON feed (asked_for) WHERE asked_for IS NOT NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS feed_asked_ix');
}
