/** Import profiles: how the columns of somebody's own files become ours. Every change adds a version. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE import_profile (
      id         text COLLATE "C" NOT NULL CONSTRAINT import_profile_pk PRIMARY KEY,
      site_id    integer NOT NULL CONSTRAINT import_profile_site_fk REFERENCES site (id) ON DELETE CASCADE,
      name       text NOT NULL,
      -- The name in the form in which names are compared.
      name_key   text COLLATE "C" NOT NULL,
      file_type  text COLLATE "C" NOT NULL,
      -- The newest version.
      version    integer NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT import_profile_name_uq UNIQUE (site_id, name_key)
    );
    CREATE TABLE import_profile_version (
      profile_id text COLLATE "C" NOT NULL
        CONSTRAINT import_profile_version_profile_fk REFERENCES import_profile (id) ON DELETE CASCADE,
      version    integer NOT NULL,
      -- As it was sent: jsonb would order the entries of its tables anew.
      document   json NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT import_profile_version_pk PRIMARY KEY (profile_id, version)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE import_profile_version, import_profile');
}
