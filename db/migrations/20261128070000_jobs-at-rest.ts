/** What maintenance looks for among jobs: single steps that wait, and jobs that are old. It must not read all jobs, each time, to find none. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being made, which is not possible in a transaction. */
export const config = { transaction: false };

const INDEXES = {
  // Exports and runs of feeds have such indexes of their own.
  job_single_step_ix: "(step, site_id, created_at) WHERE completed_at IS NULL AND step IN ('replay', 'inspect')",
  job_ended_ix: '(completed_at) WHERE completed_at IS NOT NULL AND pruned_at IS NULL',
  // Kept for their changes, until these are gone.
  job_pruned_ix: '(completed_at) WHERE pruned_at IS NOT NULL',
};

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  for (const [name, of] of Object.entries(INDEXES)) await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON job ${of}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
