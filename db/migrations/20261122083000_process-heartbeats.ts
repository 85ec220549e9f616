/** The heartbeats of processes, by which readiness knows which groups of work have a living worker. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // A row per process, rewritten every few seconds: with free space in each page the updates need no vacuum.
  await knex.raw(`
    CREATE TABLE process_heartbeat (
      id text CONSTRAINT process_heartbeat_pk PRIMARY KEY,
      groups text[] NOT NULL,
      host text NOT NULL,
      pid integer NOT NULL,
      version text NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE process_heartbeat');
}
