/** The index by which accounts with quotas are found among all others, for the metrics. */
import type { Knex } from 'knex';

/** Built without a lock that would keep accounts from being changed, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw('CREATE INDEX CONCURRENTLY account_quotas_ix ON account (id) WHERE quotas IS NOT NULL');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS account_quotas_ix');
}
