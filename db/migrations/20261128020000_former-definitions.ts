/**
 * Keeps how the target of a webhook definition was called before a change of it, so that an attempt can be shown as it was made. Each
 * attempt names the version of its definition; those of earlier releases name none.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_definition ADD COLUMN version integer NOT NULL DEFAULT 1;
    ALTER TABLE delivery_attempt ADD COLUMN definition_version integer;
    CREATE TABLE former_definition (
      definition_id       text COLLATE "C" NOT NULL CONSTRAINT former_definition_definition_fk
                          REFERENCES webhook_definition (id) ON DELETE CASCADE,
      version             integer NOT NULL,
      target              text NOT NULL,
      format              text NOT NULL,
      api_version         text NOT NULL,
      -- What is shown of the secrets of the target: none of them is kept.
      target_api_key_hint text,
      header_hints        jsonb,
      -- What the change that ended this version was about.
      changed             text[] NOT NULL,
      ended_at            timestamptz NOT NULL,
      CONSTRAINT former_definition_pk PRIMARY KEY (definition_id, version)
    );
    CREATE INDEX former_definition_ended_ix ON former_definition (ended_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE former_definition;
    ALTER TABLE delivery_attempt DROP COLUMN definition_version;
    ALTER TABLE webhook_definition DROP COLUMN version;
  `);
}
