/** Addresses that have a feed run when they are called, and the runs that they ask for. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE feed_trigger (
      id           text COLLATE "C" NOT NULL CONSTRAINT feed_trigger_pk PRIMARY KEY,
      feed_id      text COLLATE "C" NOT NULL CONSTRAINT feed_trigger_feed_uq UNIQUE
        CONSTRAINT feed_trigger_feed_fk REFERENCES feed (id) ON DELETE CASCADE,
      -- Of the key in the address, by which it is found.
      key_digest   bytea NOT NULL CONSTRAINT feed_trigger_key_uq UNIQUE,
      -- The same key, so that the address can be shown again.
      sealed_key   text NOT NULL,
      created_at   timestamptz NOT NULL DEFAULT now()
    );
    -- When a run begins for which its address was called; null: for none.
    ALTER TABLE feed ADD COLUMN asked_for timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE feed_trigger; ALTER TABLE feed DROP COLUMN asked_for');
}
