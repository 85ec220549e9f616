/** Looks at feeds, which become runs when something new has arrived. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE feed
      -- Incremented when a look begins.
      ADD COLUMN look integer NOT NULL DEFAULT 0,
      -- A look goes on, unless it has taken longer; null: none does.
      ADD COLUMN look_until timestamptz,
      ADD COLUMN looked_at timestamptz,
      -- Which files the last look has seen, and for which a run was started, as digests.
      ADD COLUMN looked jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE feed DROP COLUMN look, DROP COLUMN look_until, DROP COLUMN looked_at, DROP COLUMN looked',
  );
}
