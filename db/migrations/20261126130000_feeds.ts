/** Feeds: from where files come by themselves, their runs, and which files they have taken. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      -- All rows have the steps of before: they need not be read.
      ADD CONSTRAINT job_step_ck
        CHECK (step IN ('plan', 'apply', 'finish', 'apply-all', 'export', 'replay', 'inspect', 'feed')) NOT VALID;
    CREATE TABLE feed (
      id               text COLLATE "C" NOT NULL CONSTRAINT feed_pk PRIMARY KEY,
      site_id          integer NOT NULL CONSTRAINT feed_site_fk REFERENCES site (id) ON DELETE CASCADE,
      account_id       text COLLATE "C" NOT NULL,
      channel          integer,
      -- SOURCE.
      direction        text COLLATE "C" NOT NULL,
      name             text NOT NULL,
      -- The name in the form in which names are compared.
      name_key         text COLLATE "C" NOT NULL,
      connection       jsonb NOT NULL,
      -- Sealed; null: none.
      secrets          text,
      file_type        text COLLATE "C" NOT NULL,
      locale           text,
      options          jsonb NOT NULL,
      pick             jsonb NOT NULL,
      afterwards       jsonb NOT NULL,
      -- A cron expression and a time zone; null: it runs on request only.
      schedule         jsonb,
      expect_within_minutes integer,
      -- Since when a file is expected.
      expects_since    timestamptz NOT NULL DEFAULT now(),
      -- ACTIVE, PAUSED.
      state            text COLLATE "C" NOT NULL,
      pause_reason     text,
      -- The token that saved it last, and the client to which that was granted. No foreign keys: tokens are deleted.
      saved_by         text COLLATE "C" NOT NULL,
      saved_by_client  text COLLATE "C",
      scopes           text[] NOT NULL,
      version          integer NOT NULL,
      next_run_at      timestamptz,
      -- The run that was started last. No foreign key: jobs are pruned.
      last_job_id      text COLLATE "C",
      last_run_at      timestamptz,
      last_file_at     timestamptz,
      -- How many runs have failed one after another, and how the last did.
      failures         integer NOT NULL DEFAULT 0,
      last_failure     jsonb,
      created_at       timestamptz NOT NULL DEFAULT now(),
      updated_at       timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT feed_name_uq UNIQUE (site_id, name_key)
    );
    CREATE INDEX feed_due_ix ON feed (next_run_at) WHERE state = 'ACTIVE';
    CREATE TABLE feed_run (
      job_id           text COLLATE "C" NOT NULL CONSTRAINT feed_run_pk PRIMARY KEY,
      feed_id          text COLLATE "C" NOT NULL CONSTRAINT feed_run_feed_fk REFERENCES feed (id) ON DELETE CASCADE,
      -- SCHEDULE, RETRY, REQUEST.
      cause            text COLLATE "C" NOT NULL,
      late_by_minutes  integer NOT NULL,
      -- What came of it; null: it goes on, or has ended otherwise.
      report           jsonb,
      created_at       timestamptz NOT NULL DEFAULT now(),
      -- When its end was noted with the feed.
      ended_at         timestamptz
    );
    CREATE INDEX feed_run_feed_ix ON feed_run (feed_id, created_at);
    CREATE INDEX feed_run_open_ix ON feed_run (job_id) WHERE ended_at IS NULL;
    CREATE TABLE feed_file (
      feed_id          text COLLATE "C" NOT NULL CONSTRAINT feed_file_feed_fk REFERENCES feed (id) ON DELETE CASCADE,
      name             text NOT NULL,
      checksum         text COLLATE "C" NOT NULL,
      -- As the server told it when the file was read last.
      version          text NOT NULL,
      bytes            bigint NOT NULL,
      -- The job that imports it, and the run that has accepted that one.
      job_id           text COLLATE "C" NOT NULL,
      run_id           text COLLATE "C" NOT NULL,
      taken_at         timestamptz NOT NULL DEFAULT now(),
      -- When it was moved or deleted; null: it was left, or is still to be.
      cleared_at       timestamptz,
      CONSTRAINT feed_file_pk PRIMARY KEY (feed_id, name, checksum)
    );
    CREATE INDEX feed_file_taken_ix ON feed_file (feed_id, taken_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE feed_file, feed_run, feed;
    DELETE FROM job WHERE step = 'feed';
    ALTER TABLE job DROP CONSTRAINT job_step_ck,
      ADD CONSTRAINT job_step_ck CHECK (step IN ('plan', 'apply', 'finish', 'apply-all', 'export', 'replay', 'inspect'));
  `);
}
