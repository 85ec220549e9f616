/** Quotas of accounts, and how much of the quota of requests is used up. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The members are those of AccountQuotas. Null: none.
    ALTER TABLE account ADD COLUMN quotas jsonb;

    -- The requests of an account that its processes have leased in a minute. Only accounts with a quota are here.
    CREATE TABLE request_use (
      account_id  text COLLATE "C" CONSTRAINT request_use_pk PRIMARY KEY
        CONSTRAINT request_use_account_fk REFERENCES account (id) ON DELETE CASCADE,
      minute      timestamptz NOT NULL,
      leased      bigint NOT NULL
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE request_use;
    ALTER TABLE account DROP COLUMN quotas;
  `);
}
