/** What processes have measured, for the metrics of all of them at one address; and an index of open circuit breakers. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A row per process, rewritten every few seconds, and one of the whole system. Unlogged: a crash of Postgres empties
    -- it, and a few seconds later each process has written its row again.
    CREATE UNLOGGED TABLE process_snapshot (
      -- That of its heartbeat; 'system': what the leader of maintenance has measured.
      id text CONSTRAINT process_snapshot_pk PRIMARY KEY,
      written_at timestamptz NOT NULL DEFAULT now(),
      -- Its metrics, as a JSON text.
      metrics text NOT NULL,
      -- What is computed with: the work that a process has done, or what the scaling of workers has found.
      facts jsonb NOT NULL
    ) WITH (fillfactor = 50);
    -- Few, and of a table that is small besides: one row for each definition.
    CREATE INDEX endpoint_health_open_ix ON endpoint_health (open_until) WHERE open_until IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX endpoint_health_open_ix; DROP TABLE process_snapshot');
}
