/** Which events tell of which document, so that erasing it finds the contacts in payloads that are still kept. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE document_event (
      -- Begins with its second, so that age is a range of the key. Leaves by age like the event itself.
      event_id      text COLLATE "C" CONSTRAINT document_event_pk PRIMARY KEY,
      site_id       integer NOT NULL,
      document_type text NOT NULL,
      document_id   text COLLATE "C" NOT NULL
    );
    CREATE INDEX document_event_document_ix ON document_event (site_id, document_type, document_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE document_event');
}
