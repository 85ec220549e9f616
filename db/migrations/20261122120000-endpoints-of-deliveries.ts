/** Reads the overdue deliveries of each endpoint by themselves, and from where the reconciler stopped. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- With the id, because the deliveries of one transaction are due at the same moment.
    CREATE INDEX delivery_endpoint_ix ON delivery (definition_id, next_attempt_at, id) WHERE status = 'PENDING';
    DROP INDEX delivery_pending_ix;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX delivery_pending_ix ON delivery (definition_id, next_attempt_at) WHERE status = 'PENDING';
    DROP INDEX delivery_endpoint_ix;
  `);
}
