/** The events that tell of a job's end, for whoever ends it to enqueue their deliveries; replays of what was cancelled. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job ADD COLUMN end_event_ids text[] COLLATE "C";

    DROP INDEX delivery_dead_ix;
    -- What may be replayed: given up, or cancelled when its definition was disabled.
    CREATE INDEX delivery_failed_ix ON delivery (definition_id, created_at, id) WHERE status IN ('DEAD', 'CANCELLED');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE job DROP COLUMN end_event_ids;
    DROP INDEX delivery_failed_ix;
    CREATE INDEX delivery_dead_ix ON delivery (definition_id, created_at, id) WHERE status = 'DEAD';
  `);
}
