/** The settings of a site, in versions: the newest one counts. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE site_settings (
      site_id    integer NOT NULL CONSTRAINT site_settings_site_fk REFERENCES site (id) ON DELETE CASCADE,
      version    integer NOT NULL,
      settings   jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT site_settings_pk PRIMARY KEY (site_id, version)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE site_settings');
}
