/** The rate limits of endpoints, from which worker processes lease shares. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Unlogged: after a crash of the database every endpoint may get the requests of a second at once, as a new one may.
  // With free space in each page the updates need no vacuum.
  await knex.raw(`
    CREATE UNLOGGED TABLE endpoint_rate (
      definition_id text COLLATE "C" CONSTRAINT endpoint_rate_pk PRIMARY KEY
        CONSTRAINT endpoint_rate_definition_fk REFERENCES webhook_definition (id) ON DELETE CASCADE,
      -- When the next request may be sent that no process has leased yet.
      next_at timestamptz NOT NULL
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE endpoint_rate');
}
