/** Answers what every beginning job asks of its site without going through all that has run there, or all attributes. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Whether a job that changes definitions runs: by the index of all that run, each job before would be passed over.
    CREATE INDEX job_defining_ix ON job (site_id)
      WHERE completed_at IS NULL AND started_at IS NOT NULL AND kind IN ('attribute', 'category');
    -- Whether an attribute is unique: sites have hundreds of them, and mostly none is.
    CREATE INDEX attribute_unique_ix ON attribute (site_id) WHERE definition -> 'validation' -> 'unique' = 'true';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX attribute_unique_ix, job_defining_ix');
}
