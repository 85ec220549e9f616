/**
 * The change log: what each transaction changed of the items of a site. Both tables are partitioned by month, so that old
 * changes are dropped and never deleted row by row.
 */
import type { Knex } from 'knex';

/** Later months are created long before they begin: see src/domain/changes/partitions.ts. */
const MONTHS_AHEAD = 3;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Who asked for the job, as the audit log names it: "token:5f…". Null: the system itself, or a release before this one.
    ALTER TABLE job ADD COLUMN actor text;

    CREATE SEQUENCE change_set_id_seq;

    -- What one statement wrote for one job of one site: the items that it created, and the set that item_change refers to.
    CREATE TABLE change_set (
      -- Drawn while the items of the set are locked: of two sets that change the same item, the later one has the higher id.
      id           bigint NOT NULL DEFAULT nextval('change_set_id_seq'),
      site_id      integer NOT NULL CONSTRAINT change_set_site_fk REFERENCES site (id) ON DELETE CASCADE,
      -- The time of the transaction, which is the time that its items have.
      at           timestamptz NOT NULL DEFAULT now(),
      -- Its place in the feed of its site, given after the commit. Null: not yet. Previews have none.
      position     bigint,
      numbered_at  timestamptz,
      -- Null: a request that is no job.
      job_id       text COLLATE "C",
      actor        text,
      -- What a dry run would have changed.
      preview      boolean NOT NULL DEFAULT false,
      -- The SKUs of created items, and the row of the input that each comes from.
      created      text[] COLLATE "C",
      created_rows integer[]
    ) PARTITION BY RANGE (at);
    CREATE INDEX change_set_open_ix ON change_set (site_id, id) WHERE position IS NULL AND NOT preview;
    CREATE INDEX change_set_position_ix ON change_set (site_id, position) WHERE position IS NOT NULL;
    CREATE INDEX change_set_job_ix ON change_set (job_id, id);
    CREATE INDEX change_set_time_ix ON change_set (site_id, at) WHERE created IS NOT NULL;

    CREATE TABLE item_change (
      set_id    bigint NOT NULL,
      -- The place in its set, from 1.
      n         integer NOT NULL,
      site_id   integer NOT NULL,
      at        timestamptz NOT NULL DEFAULT now(),
      -- U: updated, D: deleted, S: its status follows from a change of another item or of definitions.
      operation "char" NOT NULL,
      -- The row of the input that it comes from.
      row_no    integer,
      sku       text COLLATE "C" NOT NULL,
      -- Attribute id, or one of $node, $parent, …, → {"b": before, "a": after}, of what differs only; absent: there was none.
      changed   jsonb NOT NULL
    ) PARTITION BY RANGE (at);
    CREATE INDEX item_change_set_ix ON item_change (set_id, n);
    CREATE INDEX item_change_item_ix ON item_change (site_id, sku);

    -- The feed of a site: the last position that was given.
    CREATE TABLE change_feed (
      site_id       integer CONSTRAINT change_feed_pk PRIMARY KEY
        CONSTRAINT change_feed_site_fk REFERENCES site (id) ON DELETE CASCADE,
      last_position bigint NOT NULL DEFAULT 0,
      -- Part of each cursor. It changes when positions may have been given twice: after a restore from a backup.
      epoch         text NOT NULL DEFAULT left(md5(random()::text || clock_timestamp()::text), 8)
    );

    DO $$
    DECLARE
      month timestamptz := date_trunc('month', now(), 'UTC') - interval '1 month';
      next timestamptz;
      name text;
    BEGIN
      FOR nth IN 0..${MONTHS_AHEAD + 1} LOOP
        next := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
        name := to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
        EXECUTE format('CREATE TABLE change_set_%s PARTITION OF change_set FOR VALUES FROM (%L) TO (%L)', name, month, next);
        EXECUTE format('CREATE TABLE item_change_%s PARTITION OF item_change FOR VALUES FROM (%L) TO (%L)', name, month, next);
        month := next;
      END LOOP;
    END $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE change_feed, item_change, change_set;
    DROP SEQUENCE change_set_id_seq;
    ALTER TABLE job DROP COLUMN actor;
  `);
}
