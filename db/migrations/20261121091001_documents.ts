/** The register of documents, and the notifications that were sent about them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE document (
      site_id       integer NOT NULL CONSTRAINT document_site_fk REFERENCES site (id) ON DELETE CASCADE,
      document_type text NOT NULL,
      -- The client's own.
      id            text COLLATE "C" NOT NULL,
      account_id    text COLLATE "C" NOT NULL,
      channel       integer,
      -- A JSON text, as it came.
      payload       text,
      contact_info  jsonb,
      created_at    timestamptz NOT NULL DEFAULT now(),
      updated_at    timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT document_pk PRIMARY KEY (site_id, document_type, id)
    );

    CREATE TABLE notification (
      id                    text COLLATE "C" CONSTRAINT notification_pk PRIMARY KEY,
      site_id               integer NOT NULL CONSTRAINT notification_site_fk REFERENCES site (id) ON DELETE CASCADE,
      account_id            text COLLATE "C" NOT NULL,
      document_type         text NOT NULL,
      document_id           text COLLATE "C" NOT NULL,
      notification_type     text NOT NULL,
      override_contact_info jsonb,
      -- The event that it emitted.
      event_id              text COLLATE "C",
      -- Of document, type and contacts: the same again within 24 h is refused. Null: longer ago than that.
      dedupe_digest         bytea,
      created_at            timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT notification_dedupe_uq UNIQUE (site_id, dedupe_digest)
    );
    CREATE INDEX notification_document_ix ON notification (site_id, document_type, document_id);
    CREATE INDEX notification_created_ix ON notification (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE notification, document');
}
