/** What bundles hold. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No foreign keys, as with item: integrity is the pipeline's.
    CREATE TABLE bundle_item (
      site_id    integer NOT NULL,
      bundle_sku text COLLATE "C" NOT NULL,
      -- From 0, in the order in which the bundle was written.
      position   integer NOT NULL,
      sku        text COLLATE "C" NOT NULL,
      quantity   integer NOT NULL CONSTRAINT bundle_item_quantity_ck CHECK (quantity > 0),
      CONSTRAINT bundle_item_pk PRIMARY KEY (site_id, bundle_sku, position)
    );
    -- Who holds an item: asked before it is deleted.
    CREATE INDEX bundle_item_component_ix ON bundle_item (site_id, sku);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bundle_item');
}
