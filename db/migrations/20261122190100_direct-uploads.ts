/** When to look next for an upload that the client puts into the file store itself. Null: nobody needs to look. */
import type { Knex } from 'knex';

/** Built without a lock that would keep files from being announced, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw('ALTER TABLE file ADD COLUMN look_at timestamptz');
  await knex.raw(
    "CREATE INDEX CONCURRENTLY file_look_ix ON file (look_at) WHERE status = 'AWAITING_UPLOAD' AND look_at IS NOT NULL",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS file_look_ix');
  await knex.raw('ALTER TABLE file DROP COLUMN IF EXISTS look_at');
}
