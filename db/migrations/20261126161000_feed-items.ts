/** Which items feeds have written: a snapshot with the scope of a feed removes those that the newest file lacks. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No foreign keys: that to the feed would have those who change a feed wait for the imports that write its items.
    CREATE TABLE feed_item (
      feed_id  text COLLATE "C" NOT NULL,
      site_id  integer NOT NULL,
      sku      text COLLATE "C" NOT NULL,
      CONSTRAINT feed_item_pk PRIMARY KEY (feed_id, sku)
    );
    CREATE INDEX feed_item_item_ix ON feed_item (site_id, sku);
    ALTER TABLE feed_item ALTER COLUMN feed_id SET STATISTICS 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE feed_item');
}
