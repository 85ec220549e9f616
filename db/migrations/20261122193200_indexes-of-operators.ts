/** Indexes by which operators find failed jobs, files by their name, and endpoints that do not work. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being accepted, which is not possible in a transaction. */
export const config = { transaction: false };

const INDEXES = {
  job_failed_ix: "job (created_at, id) WHERE status = 'FAILED'",
  file_name_ix: 'file (lower(name), created_at)',
  // The column changes when a circuit breaker opens or closes, and not with each attempt: other updates stay HOT.
  endpoint_health_openings_ix: 'endpoint_health (definition_id) WHERE openings > 0',
  webhook_definition_disabled_ix: "webhook_definition (disabled_at) WHERE status = 'DISABLED'",
};

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  for (const [name, on] of Object.entries(INDEXES)) await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
