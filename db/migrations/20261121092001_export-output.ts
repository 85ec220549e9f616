/** The file that a job wrote: what an export was asked for. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job ADD COLUMN output_file_id text COLLATE "C"
      CONSTRAINT job_output_file_fk REFERENCES file (id);
    -- Exports that wait for others of their site: they are in nobody's line.
    CREATE INDEX job_export_ix ON job (site_id, created_at) WHERE completed_at IS NULL AND step = 'export';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX job_export_ix; ALTER TABLE job DROP COLUMN output_file_id');
}
