/** The index by which endpoints of which attempts fail are found among all others, for the pages of operators. */
import type { Knex } from 'knex';

/** Built without a lock that would keep results from being recorded, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  // The columns of its condition do not change while an endpoint works, so that results are recorded as cheaply as before.
  await knex.raw(
    `CREATE INDEX CONCURRENTLY endpoint_health_failing_ix ON endpoint_health (definition_id)
     WHERE openings > 0 OR failure_streak > 0 OR window_failures > 0`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS endpoint_health_failing_ix');
}
