/**
 * Lets the feed of changes recognise that its tables were restored from a dump into the same database: each row of `change_feed` keeps
 * the identity of the table that it was made in. A dump carries it, and the table that a restore makes has another one. A row that is loaded
 * into a table that was only emptied gets a new epoch, whatever the dump says.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE change_feed ADD COLUMN of_table oid;
    UPDATE change_feed SET of_table = tableoid;
    CREATE FUNCTION change_feed_begin() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.of_table := TG_RELID;
      NEW.epoch := left(md5(random()::text || clock_timestamp()::text), 8);
      RETURN NEW;
    END $$;
    CREATE TRIGGER change_feed_begins BEFORE INSERT ON change_feed FOR EACH ROW EXECUTE FUNCTION change_feed_begin();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER change_feed_begins ON change_feed;
    DROP FUNCTION change_feed_begin();
    ALTER TABLE change_feed DROP COLUMN of_table;
  `);
}
