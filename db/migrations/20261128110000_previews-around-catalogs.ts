/** What dry runs would change around a catalog is kept as well, and what is old is found without reading all that is kept. */
import type { Knex } from 'knex';

/** The index is built without a lock that would keep changes from being made, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS surrounding_change_at_ix');
  // Whether nothing was changed, but would have been.
  await knex.raw('ALTER TABLE surrounding_change ADD COLUMN IF NOT EXISTS preview boolean NOT NULL DEFAULT false');
  await knex.raw('CREATE INDEX CONCURRENTLY surrounding_change_at_ix ON surrounding_change (at)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS surrounding_change_at_ix');
  await knex.raw('DELETE FROM surrounding_change WHERE preview');
  await knex.raw('ALTER TABLE surrounding_change DROP COLUMN preview');
}
