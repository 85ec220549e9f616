/** Inspections of uploaded files, and the step of the jobs that make them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      -- All rows have the steps of before: they need not be read.
      ADD CONSTRAINT job_step_ck
        CHECK (step IN ('plan', 'apply', 'finish', 'apply-all', 'export', 'replay', 'inspect')) NOT VALID;
    CREATE TABLE file_inspection (
      file_id    text COLLATE "C" CONSTRAINT file_inspection_pk PRIMARY KEY
                 CONSTRAINT file_inspection_file_fk REFERENCES file (id) ON DELETE CASCADE,
      -- The job that inspects it, or has inspected it last.
      job_id     text COLLATE "C" NOT NULL,
      -- Null until the job has ended.
      inspection jsonb
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE file_inspection;
    DELETE FROM job WHERE step = 'inspect';
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      ADD CONSTRAINT job_step_ck CHECK (step IN ('plan', 'apply', 'finish', 'apply-all', 'export', 'replay'));
  `);
}
