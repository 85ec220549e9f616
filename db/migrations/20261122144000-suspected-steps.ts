/** Which steps may have ended a worker process: they remember it when they are enqueued again. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Constant defaults: no table is rewritten.
  await knex.raw(`
    -- The present step was found without its worker, so it runs in a process of its own.
    ALTER TABLE job ADD COLUMN suspect boolean NOT NULL DEFAULT false;
    ALTER TABLE job_chunk ADD COLUMN suspect boolean NOT NULL DEFAULT false;
    -- The same of the plan step.
    ALTER TABLE job_order ADD COLUMN suspect boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job_order DROP COLUMN suspect;
    ALTER TABLE job_chunk DROP COLUMN suspect;
    ALTER TABLE job DROP COLUMN suspect;
  `);
}
