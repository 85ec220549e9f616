/** Sessions of browsers: each is bound to a token, and its secret is in a cookie. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- No foreign key to the token: adding one would lock the tokens. A session without its token is not valid.
    CREATE TABLE session (
      id           text COLLATE "C" CONSTRAINT session_pk PRIMARY KEY,
      digest       bytea NOT NULL CONSTRAINT session_digest_uq UNIQUE,
      token_id     text COLLATE "C" NOT NULL,
      created_at   timestamptz NOT NULL DEFAULT now(),
      -- To the minute.
      last_used_at timestamptz NOT NULL DEFAULT now(),
      -- It ends so long after its last use, and at the latest at expires_at.
      idle_seconds integer NOT NULL,
      expires_at   timestamptz NOT NULL,
      -- For the list in which people find their sessions.
      user_agent   text,
      address      text,
      -- It was ended before it expired.
      ended_at     timestamptz
    );
    CREATE INDEX session_token_ix ON session (token_id);
    CREATE INDEX session_expires_ix ON session (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE session');
}
