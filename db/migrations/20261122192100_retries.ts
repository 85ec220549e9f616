/** What a retry needs to know of an item: when a row has last written it, and which items were deleted. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Without a default: no row is rewritten, and items have it only while their status is newer than their row.
  await knex.raw(`
    -- When a row has last written the item, if its status alone was recomputed since then. Null: updated_at.
    ALTER TABLE item ADD COLUMN rows_updated_at timestamptz;

    -- Items that were deleted, for as long as jobs are kept: a retry of an older job does not create them again.
    CREATE TABLE deleted_item (
      site_id    integer NOT NULL,
      sku        text COLLATE "C" NOT NULL,
      deleted_at timestamptz NOT NULL,
      CONSTRAINT deleted_item_pk PRIMARY KEY (site_id, sku)
    );
    CREATE INDEX deleted_item_age_ix ON deleted_item (deleted_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE deleted_item;
    ALTER TABLE item DROP COLUMN rows_updated_at;
  `);
}
