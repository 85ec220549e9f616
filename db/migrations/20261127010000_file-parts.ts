/** Parts of files that are uploaded in several requests, until the file is whole. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No foreign key: a row stays until its bytes are removed, whatever becomes of the file.
    CREATE TABLE file_part (
      file_id     text COLLATE "C" NOT NULL,
      -- Its first byte in the file.
      start_at    bigint NOT NULL,
      bytes       bigint NOT NULL,
      storage_key text COLLATE "C" NOT NULL,
      account_id  text COLLATE "C",
      CONSTRAINT file_part_pk PRIMARY KEY (file_id, start_at)
    );
    CREATE INDEX file_part_account_ix ON file_part (account_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE file_part');
}
