/** Tokens of the partners who receive the deliveries of one webhook definition. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE access_token
      -- Null: a token of the account itself. No foreign key: adding one would lock the definitions.
      ADD COLUMN webhook_id text COLLATE "C",
      -- Of these: whether its holder may have events delivered again.
      ADD COLUMN may_replay boolean
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE access_token DROP COLUMN webhook_id, DROP COLUMN may_replay');
}
