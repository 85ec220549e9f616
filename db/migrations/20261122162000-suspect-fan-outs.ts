/** Which fan-outs may have ended a worker process, and which were stopped because they do so each time. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Without a default: the table is not rewritten, and the rows of other events stay as short as they were.
  await knex.raw(`
    ALTER TABLE event
      -- How often the fan-out has ended a process in which nothing else ran. Null: it never was without its worker.
      ADD COLUMN fan_out_deaths integer,
      -- Why the fan-out was stopped, so that some definitions have no delivery. Null: it was not.
      ADD COLUMN fan_out_error text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE event DROP COLUMN fan_out_deaths, DROP COLUMN fan_out_error');
}
