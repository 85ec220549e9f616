/** Codes of links that log in once. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No foreign key to the token: adding one would lock the tokens. A code without its token logs nobody in.
    CREATE TABLE login_code (
      id          text COLLATE "C" CONSTRAINT login_code_pk PRIMARY KEY,
      digest      bytea NOT NULL CONSTRAINT login_code_digest_uq UNIQUE,
      token_id    text COLLATE "C" NOT NULL,
      created_at  timestamptz NOT NULL DEFAULT now(),
      expires_at  timestamptz NOT NULL,
      used_at     timestamptz
    );
    CREATE INDEX login_code_token_ix ON login_code (token_id, created_at);
    CREATE INDEX login_code_expires_ix ON login_code (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE login_code');
}
