/** The index of the tokens of partners by the definition whose deliveries they receive. */
import type { Knex } from 'knex';

/** Built without a lock that would keep tokens from being made, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw(
    'CREATE INDEX CONCURRENTLY access_token_webhook_ix ON access_token (webhook_id) WHERE webhook_id IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS access_token_webhook_ix');
}
