/** Finds the chunks of a job that are still to be done, and the jobs that have some, however many are done already. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Those on the queue and the next ones in order: each look-up is one range of it.
    CREATE INDEX job_chunk_open_ix ON job_chunk (job_id, status, idx) WHERE status IN ('pending', 'dispatched');
    -- Few, and none that is carried out in its plan step: its dead entries are those of files alone.
    CREATE INDEX job_applying_ix ON job (site_id) WHERE step = 'apply';

    -- What is overdue is read in order. The planner knows no better than that a third of all chunks are: of "status =
    -- 'dispatched'" it would believe that so few are that it might as well read and sort them all.
    DROP INDEX job_chunk_due_ix;
    CREATE INDEX job_chunk_due_ix ON job_chunk ((CASE WHEN status = 'dispatched' THEN dispatched_at END))
      WHERE (CASE WHEN status = 'dispatched' THEN dispatched_at END) IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX job_chunk_due_ix, job_applying_ix, job_chunk_open_ix;
    CREATE INDEX job_chunk_due_ix ON job_chunk (dispatched_at) WHERE status = 'dispatched';
  `);
}
