/** Which steps may have ended a worker process: they remember it when they are enqueued again. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Steps that were found without their worker, so that they run in processes of their own. Few are, so the rows of jobs
    -- and chunks need not be longer for them. "chunk" is 0 for a step that is not a chunk's.
    CREATE TABLE suspect_step (
      job_id text COLLATE "C" NOT NULL REFERENCES job (id) ON DELETE CASCADE,
      step text NOT NULL,
      chunk integer NOT NULL,
      PRIMARY KEY (job_id, step, chunk)
    );
    -- The same of the plan step, which many statements release. A constant default: the table is not rewritten.
    ALTER TABLE job_order ADD COLUMN suspect boolean NOT NULL DEFAULT false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job_order DROP COLUMN suspect;
    DROP TABLE suspect_step;
  `);
}
