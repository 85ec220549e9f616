/** Columns of files of items with values that could be read in two ways, so that every later import of them warns. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE column_doubt (
      site_id  integer NOT NULL CONSTRAINT column_doubt_site_fk REFERENCES site (id) ON DELETE CASCADE,
      -- The name of the column, as names of attributes are compared.
      name     text COLLATE "C" NOT NULL,
      code     text COLLATE "C" NOT NULL,
      -- The definitions by which the values were read.
      version  integer NOT NULL,
      -- What the job that applied them has warned of.
      warning  jsonb NOT NULL,
      job_id   text COLLATE "C" NOT NULL,
      CONSTRAINT column_doubt_pk PRIMARY KEY (site_id, name, code)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE column_doubt');
}
