/** Bundles of a running job that wait for what they hold. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bundle_wait (
      job_id     text COLLATE "C" NOT NULL CONSTRAINT bundle_wait_job_fk REFERENCES job (id) ON DELETE CASCADE,
      bundle_sku text COLLATE "C" NOT NULL,
      -- Was in the catalog neither before nor by the rows applied when the bundle was put off.
      sku        text COLLATE "C" NOT NULL,
      CONSTRAINT bundle_wait_pk PRIMARY KEY (job_id, bundle_sku, sku)
    );
    CREATE INDEX bundle_wait_component_ix ON bundle_wait (job_id, sku);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bundle_wait');
}
