/** Jobs that are no ingest by chunks: exports, imports that take effect as a whole or not at all, replays of deliveries. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      ADD CONSTRAINT job_step_ck CHECK (step IN ('plan', 'apply', 'finish', 'apply-all', 'export', 'replay'))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      ADD CONSTRAINT job_step_ck CHECK (step IN ('plan', 'apply', 'finish'))
  `);
}
