/** Views that people have saved: which items with which columns, and which exports. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE saved_view (
      id         text COLLATE "C" NOT NULL CONSTRAINT saved_view_pk PRIMARY KEY,
      site_id    integer NOT NULL CONSTRAINT saved_view_site_fk REFERENCES site (id) ON DELETE CASCADE,
      -- A token or a client. No foreign key: what was shared outlives its owner.
      owner_id   text COLLATE "C" NOT NULL,
      -- ITEMS, EXPORT.
      kind       text COLLATE "C" NOT NULL,
      name       text NOT NULL,
      -- The name in the form in which names are compared.
      name_key   text COLLATE "C" NOT NULL,
      is_shared  boolean NOT NULL,
      version    integer NOT NULL,
      -- As it was sent.
      content    json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT saved_view_name_uq UNIQUE (site_id, owner_id, kind, name_key)
    );
    -- Those of everybody.
    CREATE INDEX saved_view_shared_ix ON saved_view (site_id, kind, name_key) WHERE is_shared;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE saved_view');
}
