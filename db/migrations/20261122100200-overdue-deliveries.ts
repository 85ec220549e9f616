/** Reads overdue deliveries in the order in which they are due, so that a sample of a backlog costs a sample. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX delivery_due_ix;
    -- Exactly those that are PENDING have a next attempt. It is said so because the planner, which has no statistics of
    -- a new table, takes PENDING for one row in 200, and would read and sort all of a backlog.
    CREATE INDEX delivery_due_ix ON delivery (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX delivery_due_ix;
    CREATE INDEX delivery_due_ix ON delivery (next_attempt_at) WHERE status = 'PENDING';
  `);
}
