/** When a token or an OAuth client was last used, which processes write about once a minute. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE access_token ADD COLUMN last_used_at timestamptz;
    ALTER TABLE oauth_client ADD COLUMN last_used_at timestamptz;`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE access_token DROP COLUMN last_used_at;
    ALTER TABLE oauth_client DROP COLUMN last_used_at;`);
}
