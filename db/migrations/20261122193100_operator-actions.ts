/** What operators have done to many jobs or endpoints at once, from their page: with its progress and its outcome. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE operator_action (
      id                text COLLATE "C" CONSTRAINT operator_action_pk PRIMARY KEY,
      -- retry, cancel, resume, replay.
      action            text NOT NULL,
      -- Which jobs or endpoints, as the operator chose them.
      filter            jsonb NOT NULL,
      -- Who, as in the audit log.
      actor             jsonb NOT NULL,
      -- The cursor of the last target that was done: written with each change, in the same transaction.
      done_upto         text COLLATE "C" NOT NULL DEFAULT '',
      done              integer NOT NULL DEFAULT 0,
      refused           integer NOT NULL DEFAULT 0,
      -- The first refusals: [{id, message}].
      refusals          jsonb NOT NULL DEFAULT '[]',
      -- DONE, STOPPED, FAILED; null: it has not ended.
      outcome           text,
      -- Why it has failed.
      message           text,
      stop_requested_at timestamptz,
      created_at        timestamptz NOT NULL DEFAULT now(),
      started_at        timestamptz,
      completed_at      timestamptz,
      updated_at        timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX operator_action_created_ix ON operator_action (created_at, id);
    CREATE INDEX operator_action_open_ix ON operator_action (created_at, id) WHERE completed_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE operator_action');
}
