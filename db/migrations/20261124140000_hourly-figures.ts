/** Figures of the system by the hour that nothing else remembers, for the plots of a day. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE hourly_figure (
      hour             timestamptz CONSTRAINT hourly_figure_pk PRIMARY KEY,
      -- The most that were open, of all databases of the server, and how many there may be.
      connections      integer NOT NULL,
      connection_limit integer NOT NULL,
      -- As measured last.
      database_bytes   bigint NOT NULL
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE hourly_figure');
}
