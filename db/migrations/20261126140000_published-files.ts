/** Addresses at which the last export is always found. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE published_file (
      id           text COLLATE "C" NOT NULL CONSTRAINT published_file_pk PRIMARY KEY,
      site_id      integer NOT NULL CONSTRAINT published_file_site_fk REFERENCES site (id) ON DELETE CASCADE,
      name         text NOT NULL,
      -- The name in the form in which names are compared.
      name_key     text COLLATE "C" NOT NULL,
      -- Of the key in the address, by which it is found.
      key_digest   bytea NOT NULL CONSTRAINT published_file_key_uq UNIQUE,
      -- The same key, so that the address can be shown again.
      sealed_key   text NOT NULL,
      -- WRITE, SKIP: what becomes of an export without rows.
      when_empty   text COLLATE "C" NOT NULL,
      -- What is found there, and the export that wrote it; null: nothing yet. Both are kept as long as they are named here.
      file_id      text COLLATE "C",
      job_id       text COLLATE "C",
      row_count    bigint,
      -- When that export began to read.
      read_at      timestamptz,
      published_at timestamptz,
      created_at   timestamptz NOT NULL DEFAULT now(),
      updated_at   timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT published_file_name_uq UNIQUE (site_id, name_key)
    );
    CREATE INDEX published_file_job_ix ON published_file (job_id) WHERE job_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE published_file');
}
