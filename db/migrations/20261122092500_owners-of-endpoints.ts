/**
 * What the owner of an endpoint sees and sets: the last error, headers of its own, and more than one secret that was
 * replaced within a day. Nullable columns without a default: no table is rewritten.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE endpoint_health
      -- The last failed attempt, in words.
      ADD COLUMN last_error text,
      ADD COLUMN last_error_at timestamptz;
    ALTER TABLE webhook_definition
      -- Sealed: a JSON object of header names and values.
      ADD COLUMN headers text,
      -- What may be shown of the values: a JSON object of header names and the last characters of long values.
      ADD COLUMN header_hints jsonb,
      -- Sealed: a JSON list of the secrets before previous_secret that still sign, each with the time of its end.
      ADD COLUMN older_secrets text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE endpoint_health DROP COLUMN last_error, DROP COLUMN last_error_at;
    ALTER TABLE webhook_definition DROP COLUMN headers, DROP COLUMN header_hints, DROP COLUMN older_secrets;
  `);
}
