/** Rows of a snapshot that created their items are noted by the time that these have, which one transaction gives to all of them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The time of the transaction, if it has created items: these have the same. Null: it has created none.
    ALTER TABLE snapshot_sku ADD COLUMN created_at timestamptz`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE snapshot_sku DROP COLUMN created_at');
}
