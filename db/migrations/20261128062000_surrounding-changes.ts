/** What jobs have changed of what is around a catalog: import profiles, settings and webhook definitions. Reverts take it back. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Beside the change log, because readers of its feed must see neither settings nor addresses of partners. No foreign key to
    -- jobs: adding one would lock their table.
    CREATE TABLE surrounding_change (
      id              text COLLATE "C" NOT NULL CONSTRAINT surrounding_change_pk PRIMARY KEY,
      site_id         integer NOT NULL CONSTRAINT surrounding_change_site_fk REFERENCES site (id) ON DELETE CASCADE,
      job_id          text COLLATE "C" NOT NULL,
      at              timestamptz NOT NULL DEFAULT now(),
      -- profile, settings, webhook.
      kind            text COLLATE "C" NOT NULL,
      -- The id of the profile or of the webhook definition; 'settings'.
      key             text COLLATE "C" NOT NULL,
      -- All that it is, without secrets. Null: there was none, or there is none.
      before          jsonb,
      after           jsonb,
      -- The secrets of a webhook definition that was deleted, sealed for the places that they had.
      secret          text,
      previous_secret text,
      older_secrets   text,
      headers         text,
      target_api_key  text
    );
    CREATE INDEX surrounding_change_job_ix ON surrounding_change (job_id);
    CREATE INDEX surrounding_change_site_ix ON surrounding_change (site_id, key);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE surrounding_change');
}
