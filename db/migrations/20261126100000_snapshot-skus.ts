/** Which SKUs the files of snapshots have: what they lack is removed when all their rows are applied. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The SKUs of one chunk, written by the transaction that applies it. No foreign key: adding one would lock the table of
    -- jobs.
    CREATE TABLE snapshot_sku (
      job_id  text COLLATE "C" NOT NULL,
      skus    text[] NOT NULL
    );
    CREATE INDEX snapshot_sku_ix ON snapshot_sku (job_id);
    ALTER TABLE snapshot_sku ALTER COLUMN skus SET STATISTICS 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE snapshot_sku');
}
