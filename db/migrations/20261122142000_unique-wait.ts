/** Values that deferred rows of a running job claim, so that no later row of the job takes them. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE unique_wait (
      job_id       text COLLATE "C" NOT NULL CONSTRAINT unique_wait_job_fk REFERENCES job (id) ON DELETE CASCADE,
      attribute_id text COLLATE "C" NOT NULL,
      value_hash   bytea NOT NULL,
      -- The first row of the input that waits for the value.
      row_no       integer NOT NULL,
      CONSTRAINT unique_wait_pk PRIMARY KEY (job_id, attribute_id, value_hash)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE unique_wait');
}
