/** People who log in by an identity provider: which of its users each of them is. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A row outlives its token: from that one sees that the person was removed, and is not let in again.
    CREATE TABLE person_identity (
      account_id  text COLLATE "C" NOT NULL,
      issuer      text NOT NULL,
      -- The user's identifier at the provider ("sub"), which never changes there.
      subject     text NOT NULL,
      -- No foreign key: adding one would lock the tokens.
      token_id    text COLLATE "C" NOT NULL CONSTRAINT person_identity_token_uq UNIQUE,
      created_at  timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT person_identity_pk PRIMARY KEY (issuer, subject, account_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE person_identity');
}
