/** The oldest release that may use the database, which each process compares with its own. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE oldest_release (
      -- There is one row.
      id         boolean NOT NULL DEFAULT true CONSTRAINT oldest_release_pk PRIMARY KEY
                 CONSTRAINT oldest_release_id_ck CHECK (id),
      -- A process whose release does not know this migration may not use the database.
      migration  text COLLATE "C" NOT NULL,
      -- The first release that knows it, for people.
      version    text COLLATE "C" NOT NULL
    );
  `);
  // A migration that older releases cannot work with ends with an UPDATE of this row, to its own name.
  await knex.raw(
    "INSERT INTO oldest_release (migration, version) VALUES ('20261121000000_initial-schema.js', '0.1.0')",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE oldest_release');
}
