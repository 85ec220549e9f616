/** The jobs of a site whose removals wait: each newer snapshot looks for them, and must not read all jobs of the site. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being made, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw(
    `CREATE INDEX CONCURRENTLY job_waiting_removals_ix ON job (site_id)
     WHERE completed_at IS NULL AND options -> 'approval' ->> 'only' = 'removals'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS job_waiting_removals_ix');
}
