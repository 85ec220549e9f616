/** The indexes of jobs by their files: foreign keys look for the jobs of each row of a file that is deleted. */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being made, which is not possible in a transaction. */
export const config = { transaction: false };

const COLUMNS = ['input_file', 'error_file', 'output_file'];

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  for (const one of COLUMNS) {
    await knex.raw(`CREATE INDEX CONCURRENTLY job_${one}_ix ON job (${one}_id) WHERE ${one}_id IS NOT NULL`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const one of COLUMNS) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS job_${one}_ix`);
}
