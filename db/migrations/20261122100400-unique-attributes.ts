/** Answers whether a site has an attribute whose values are unique, without going through all attributes. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Every job that begins asks: sites have hundreds of attributes, and mostly none is unique.
  await knex.raw(`
    CREATE INDEX attribute_unique_ix ON attribute (site_id) WHERE definition -> 'validation' -> 'unique' = 'true'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX attribute_unique_ix');
}
