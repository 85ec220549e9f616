/** Notes of categories that may hold items in rows of their own: a column of category would lock it for each import. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Primary leaves in which an item may lie; of those that are not here it is certain that none does. A category may
    -- be noted twice: who notes it does not wait for another who does.
    CREATE TABLE filled_category (
      site_id integer NOT NULL,
      node_id integer NOT NULL
    );
    CREATE INDEX filled_category_node_ix ON filled_category (site_id, node_id);
    INSERT INTO filled_category (site_id, node_id) SELECT site_id, node_id FROM category WHERE filled AND tree = 'PRIMARY';
    ALTER TABLE category DROP COLUMN filled;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE category ADD COLUMN filled boolean NOT NULL DEFAULT false;
    UPDATE category SET filled = true FROM filled_category AS note
    WHERE note.site_id = category.site_id AND note.node_id = category.node_id;
    DROP TABLE filled_category;
  `);
}
