/** The order of a site's jobs in a narrow table of its own, so that what waits costs those that run nothing. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One row for each job that has a place in its site's order, from acceptance until some time after its end. The
    -- only index is on columns that never change, and half of each page is free: updates of a row are HOT, so the
    -- index has one entry for each job, whatever became of it.
    CREATE TABLE job_order (
      site_id       integer NOT NULL,
      position      bigint NOT NULL,
      job_id        text COLLATE "C" NOT NULL,
      -- q: its plan step is on the queue, or should be; h: held until others end; r: running; e: ended.
      state         "char" NOT NULL CONSTRAINT job_order_state_ck CHECK (state IN ('q', 'h', 'r', 'e')),
      -- May run beside other concurrent jobs of the site; all others run alone.
      concurrent    boolean NOT NULL,
      -- Fencing token of the plan step: counted up at each enqueue of it.
      dispatch      integer NOT NULL,
      -- When the plan step was (or should have been) enqueued.
      dispatched_at timestamptz NOT NULL,
      CONSTRAINT job_order_pk PRIMARY KEY (site_id, position)
    ) WITH (fillfactor = 50);

    -- Where reading a site's order begins, so that nothing walks over what was there before.
    CREATE TABLE job_order_floor (
      site_id  integer CONSTRAINT job_order_floor_pk PRIMARY KEY,
      -- All jobs before this position have ended.
      floor    bigint NOT NULL,
      -- There is no row of a job before this position.
      swept    bigint NOT NULL
    ) WITH (fillfactor = 50);

    INSERT INTO job_order (site_id, position, job_id, state, concurrent, dispatch, dispatched_at)
    SELECT site_id, line_no, id,
      CASE WHEN started_at IS NOT NULL THEN 'r' WHEN dispatched_at IS NULL THEN 'h' ELSE 'q' END::"char",
      shared, dispatch, coalesce(dispatched_at, now())
    FROM job WHERE completed_at IS NULL AND line_no IS NOT NULL;

    UPDATE job SET dispatched_at = NULL WHERE completed_at IS NULL AND step = 'plan' AND line_no IS NOT NULL;

    DROP INDEX job_line_ix, job_exclusive_line_ix, job_running_ix, job_due_ix;
    -- A step that is on the queue or should be, but for the plan, whose place is in job_order.
    CREATE INDEX job_step_due_ix ON job (dispatched_at) WHERE completed_at IS NULL AND dispatched_at IS NOT NULL;
    -- Jobs whose place is given after the transaction that made them.
    CREATE INDEX job_unplaced_ix ON job (site_id) WHERE completed_at IS NULL AND step = 'plan' AND line_no IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE job SET dispatch = job_order.dispatch, shared = job_order.concurrent,
      dispatched_at = CASE WHEN job_order.state = 'h' THEN NULL ELSE job_order.dispatched_at END
    FROM job_order
    WHERE job_order.job_id = job.id AND job.completed_at IS NULL AND job.step = 'plan';
    DROP INDEX job_step_due_ix, job_unplaced_ix;
    DROP TABLE job_order, job_order_floor;
    CREATE INDEX job_line_ix ON job (site_id, line_no) WHERE completed_at IS NULL AND line_no IS NOT NULL;
    CREATE INDEX job_exclusive_line_ix ON job (site_id, line_no) WHERE completed_at IS NULL AND line_no IS NOT NULL AND NOT shared;
    CREATE INDEX job_running_ix ON job (site_id) WHERE completed_at IS NULL AND started_at IS NOT NULL;
    CREATE INDEX job_due_ix ON job (dispatched_at) WHERE completed_at IS NULL AND step IS NOT NULL;
  `);
}
