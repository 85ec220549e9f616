/** Remembers which categories may hold items, so that most questions need not look through all items of a site. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Of a primary leaf: false says that no item lies in it; true, that one may. Categories that are there may hold some.
    ALTER TABLE category ADD COLUMN filled boolean NOT NULL DEFAULT true;
    ALTER TABLE category ALTER COLUMN filled SET DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE category DROP COLUMN filled');
}
