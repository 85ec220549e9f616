/** What is counted of a step besides its attempts, and what an account wants after a job that has failed. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Constant defaults: no table is rewritten.
  await knex.raw(`
    ALTER TABLE job
      -- Consecutive outages that the present step has met.
      ADD COLUMN outages integer NOT NULL DEFAULT 0,
      -- How often the present step has ended a process in which nothing else ran.
      ADD COLUMN deaths integer NOT NULL DEFAULT 0;
    ALTER TABLE job_chunk
      ADD COLUMN outages integer NOT NULL DEFAULT 0,
      ADD COLUMN deaths integer NOT NULL DEFAULT 0;
    ALTER TABLE account ADD COLUMN after_failure text NOT NULL DEFAULT 'continue'
      CONSTRAINT account_after_failure_ck CHECK (after_failure IN ('continue', 'pause'));
    -- p: the job has failed, and the jobs behind it wait until the account resumes them. The table is small.
    ALTER TABLE job_order DROP CONSTRAINT job_order_state_ck;
    ALTER TABLE job_order ADD CONSTRAINT job_order_state_ck CHECK (state IN ('q', 'h', 'r', 'e', 'p'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE job_order SET state = 'e' WHERE state = 'p';
    ALTER TABLE job_order DROP CONSTRAINT job_order_state_ck;
    ALTER TABLE job_order ADD CONSTRAINT job_order_state_ck CHECK (state IN ('q', 'h', 'r', 'e'));
    ALTER TABLE account DROP COLUMN after_failure;
    ALTER TABLE job_chunk DROP COLUMN outages, DROP COLUMN deaths;
    ALTER TABLE job DROP COLUMN outages, DROP COLUMN deaths;
  `);
}
