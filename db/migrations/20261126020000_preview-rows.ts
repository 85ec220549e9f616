/** What the previews of jobs would change, row by row. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the rows of a preview would change: a digest for each row that would change something. The run that was
    -- approved writes a row only if its digest is the same. No foreign key: adding one would lock the table of jobs.
    CREATE TABLE preview_row (
      job_id     text COLLATE "C" NOT NULL,
      -- The lowest and the highest of the rows.
      first_row  integer NOT NULL,
      last_row   integer NOT NULL,
      rows       integer[] NOT NULL,
      digests    bigint[] NOT NULL
    );
    CREATE INDEX preview_row_ix ON preview_row (job_id, first_row);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE preview_row');
}
