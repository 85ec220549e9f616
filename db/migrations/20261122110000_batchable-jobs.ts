/** Which jobs may be executed together with others of their site, in one transaction. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // A constant default: the table is not rewritten. Jobs that wait at this moment are executed one by one.
  await knex.raw('ALTER TABLE job_order ADD COLUMN batchable boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE job_order DROP COLUMN batchable');
}
