/** Jobs that wait for an approval, and what their previews would change, row by row. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What the rows of a preview would change: a digest for each row that would change something. The run that was
    -- approved writes a row only if its digest is the same.
    CREATE TABLE preview_row (
      job_id     text COLLATE "C" NOT NULL CONSTRAINT preview_row_job_fk REFERENCES job (id) ON DELETE CASCADE,
      -- The lowest and the highest of the rows.
      first_row  integer NOT NULL,
      last_row   integer NOT NULL,
      rows       integer[] NOT NULL,
      digests    bigint[] NOT NULL
    );
    CREATE INDEX preview_row_ix ON preview_row (job_id, first_row);
    -- Those that expire next, and those of a site.
    CREATE INDEX job_awaiting_approval_ix ON job (updated_at) WHERE status = 'AWAITING_APPROVAL';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX job_awaiting_approval_ix;
    DROP TABLE preview_row;
  `);
}
