/** Feeds that write: what they export, what they have written, and the imports after whose ends they run. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE feed
      -- Of sources only.
      ALTER COLUMN file_type DROP NOT NULL,
      ALTER COLUMN options DROP NOT NULL,
      ALTER COLUMN pick DROP NOT NULL,
      ALTER COLUMN afterwards DROP NOT NULL,
      -- Of destinations only: what was said of the files, with the export as it was sent, and that export as it was resolved.
      ADD COLUMN destination jsonb,
      ADD COLUMN export_spec jsonb,
      -- The source after whose imports it runs. No foreign key: its deletion is refused in words.
      ADD COLUMN after_feed_id text COLLATE "C",
      -- Whether imports of that source have ended since the last run began.
      ADD COLUMN after_ends boolean NOT NULL DEFAULT false,
      -- Up to where the files that were sent tell what has changed; null: the next file is whole.
      ADD COLUMN sent_cursor text COLLATE "C",
      -- How many files it has made.
      ADD COLUMN sequence integer NOT NULL DEFAULT 0;
    CREATE TABLE feed_output (
      -- The run that exported it: each exports at most once.
      run_id           text COLLATE "C" NOT NULL CONSTRAINT feed_output_pk PRIMARY KEY,
      feed_id          text COLLATE "C" NOT NULL CONSTRAINT feed_output_feed_fk REFERENCES feed (id) ON DELETE CASCADE,
      name             text NOT NULL,
      -- WHOLE, DELTA.
      content          text COLLATE "C" NOT NULL,
      -- Why it is whole, if only what has changed was wanted.
      why_whole        text,
      -- In the file store; null: its bytes are not needed any more.
      storage_key      text,
      row_count        bigint NOT NULL,
      bytes            bigint NOT NULL,
      cursor_from      text COLLATE "C",
      cursor_to        text COLLATE "C",
      -- When the export began to read.
      read_at          timestamptz NOT NULL,
      -- WAITING: it is to be sent. SENT, DROPPED: a newer file has taken its place.
      state            text COLLATE "C" NOT NULL,
      stored_at        timestamptz NOT NULL DEFAULT now(),
      sent_at          timestamptz,
      -- When it was removed where it was sent to, or the feed got another connection.
      gone_at          timestamptz
    );
    CREATE INDEX feed_output_feed_ix ON feed_output (feed_id, stored_at);
    CREATE UNIQUE INDEX feed_output_waiting_uq ON feed_output (feed_id) WHERE state = 'WAITING';
    -- Import jobs of sources whose ends were not noted yet.
    CREATE TABLE feed_import (
      job_id           text COLLATE "C" NOT NULL CONSTRAINT feed_import_pk PRIMARY KEY,
      feed_id          text COLLATE "C" NOT NULL CONSTRAINT feed_import_feed_fk REFERENCES feed (id) ON DELETE CASCADE
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE feed_import, feed_output;
    DELETE FROM feed WHERE direction = 'DESTINATION';
    ALTER TABLE feed
      DROP COLUMN destination, DROP COLUMN export_spec, DROP COLUMN after_feed_id, DROP COLUMN after_ends,
      DROP COLUMN sent_cursor, DROP COLUMN sequence,
      ALTER COLUMN file_type SET NOT NULL, ALTER COLUMN options SET NOT NULL,
      ALTER COLUMN pick SET NOT NULL, ALTER COLUMN afterwards SET NOT NULL;
  `);
}
