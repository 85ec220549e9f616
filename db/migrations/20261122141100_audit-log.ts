/** The audit log, which nobody can change: rows are only added, and deleted when their time of retention is over. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE audit_entry (
      id         bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_entry_pk PRIMARY KEY,
      -- The moment of the entry: now() would be that of the beginning of its transaction.
      at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      -- Whose act it is: no foreign key, because entries outlive what they name. Null: of no account.
      account_id text COLLATE "C",
      -- token, client (OAuth), operator, admin (the command line), anonymous.
      actor_kind text NOT NULL,
      -- The token or the OAuth client; the user of the machine of a command.
      actor_id   text COLLATE "C",
      action     text COLLATE "C" NOT NULL,
      stage      text,
      target     text,
      address    text,
      request_id text,
      -- DONE, or the code of the refusal.
      result     text NOT NULL,
      -- Refusals that repeat are counted instead of recorded one by one.
      times      integer NOT NULL DEFAULT 1
    );
    CREATE INDEX audit_entry_account_ix ON audit_entry (account_id, at, id);
    CREATE INDEX audit_entry_action_ix ON audit_entry (account_id, action, at, id);
    CREATE INDEX audit_entry_actor_ix ON audit_entry (account_id, actor_id, at, id);
    CREATE INDEX audit_entry_at_ix ON audit_entry (at);

    -- Entries of the last day can be deleted by nobody; older ones only by the transaction that prunes.
    CREATE FUNCTION audit_entry_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND current_setting('longshore.prunes_audit', true) = 'yes'
        AND OLD.at < clock_timestamp() - interval '1 day' THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END $$;
    CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry
      FOR EACH ROW EXECUTE FUNCTION audit_entry_refuse_change();
    CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry
      FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_refuse_change();`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE audit_entry; DROP FUNCTION audit_entry_refuse_change()');
}
