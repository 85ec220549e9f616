/** Disabled definitions collect events for some time, so that nothing is missed until they are enabled again. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Deliveries need no new column: those that are collected are PENDING, and due in a thousand years.
  await knex.raw(`
    ALTER TABLE webhook_definition
      -- How many hours it goes on collecting events after it was disabled.
      ADD COLUMN collect_hours integer NOT NULL DEFAULT 72
        CONSTRAINT webhook_definition_collect_ck CHECK (collect_hours BETWEEN 0 AND 168),
      -- null: it is active, or was disabled before definitions collected.
      ADD COLUMN disabled_at timestamptz,
      -- Disabled, it collects events until then; null: it collects none.
      ADD COLUMN collects_until timestamptz,
      -- Enabled again, what was collected is made due, at least until then: transactions that saw it disabled may still
      -- be open. null: there is nothing to look for.
      ADD COLUMN releases_until timestamptz;
    -- The previous release, which selects active definitions only, can use it too.
    CREATE INDEX webhook_definition_receives_ix ON webhook_definition (site_id, source, id)
      WHERE status = 'ACTIVE' OR collects_until IS NOT NULL;
    DROP INDEX webhook_definition_source_ix;
    CREATE INDEX webhook_definition_collects_ix ON webhook_definition (collects_until) WHERE collects_until IS NOT NULL;
    CREATE INDEX webhook_definition_releases_ix ON webhook_definition (releases_until) WHERE releases_until IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Nothing would make them due; they can be replayed.
    UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL, completed_at = now(), dispatch = dispatch + 1
    WHERE status = 'PENDING' AND next_attempt_at > now() + interval '500 years';
    CREATE INDEX webhook_definition_source_ix ON webhook_definition (site_id, source, id) WHERE status = 'ACTIVE';
    DROP INDEX webhook_definition_receives_ix, webhook_definition_collects_ix, webhook_definition_releases_ix;
    ALTER TABLE webhook_definition DROP COLUMN collect_hours, DROP COLUMN disabled_at, DROP COLUMN collects_until,
      DROP COLUMN releases_until;
  `);
}
