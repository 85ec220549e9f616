/**
 * Indexes of the files that wait for their upload, by account, and of those whose bytes are deleted early. The account
 * is that of the announcement: files that were announced before do not count.
 */
import type { Knex } from 'knex';

/** Built without a lock that would keep jobs from being accepted, which is not possible in a transaction. */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  // A build that was interrupted leaves an index that is not valid.
  await down(knex);
  await knex.raw('ALTER TABLE file ADD COLUMN account_id text COLLATE "C"');
  await knex.raw(
    "CREATE INDEX CONCURRENTLY file_awaiting_upload_ix ON file (account_id) WHERE status = 'AWAITING_UPLOAD'",
  );
  await knex.raw(
    "CREATE INDEX CONCURRENTLY file_bytes_expiry_ix ON file (expires_at) WHERE status = 'UPLOADED' AND expires_at IS NOT NULL",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS file_awaiting_upload_ix');
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS file_bytes_expiry_ix');
  await knex.raw('ALTER TABLE file DROP COLUMN IF EXISTS account_id');
}
