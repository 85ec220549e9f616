/** The SKUs of a snapshot's file are written once, read once and deleted: compressing them costs more than it saves. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE snapshot_sku ALTER COLUMN skus SET STORAGE EXTERNAL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE snapshot_sku ALTER COLUMN skus SET STORAGE EXTENDED');
}
