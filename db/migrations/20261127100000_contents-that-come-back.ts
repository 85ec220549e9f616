/** Lets a feed take a content again that its file had before, after another one: a file is known by what was taken last. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE feed_file
      DROP CONSTRAINT feed_file_pk,
      ADD CONSTRAINT feed_file_pk PRIMARY KEY (feed_id, name, taken_at)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM feed_file AS former USING feed_file AS later
    WHERE later.feed_id = former.feed_id AND later.name = former.name AND later.checksum = former.checksum
      AND later.taken_at > former.taken_at
  `);
  await knex.raw(`
    ALTER TABLE feed_file
      DROP CONSTRAINT feed_file_pk,
      ADD CONSTRAINT feed_file_pk PRIMARY KEY (feed_id, name, checksum)
  `);
}
