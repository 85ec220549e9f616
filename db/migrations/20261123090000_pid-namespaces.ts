/** Where the pid of a heartbeat names a process: who is in the same PID namespace sees at once that it has ended. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE process_heartbeat ADD COLUMN pid_namespace text COLLATE "C"');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE process_heartbeat DROP COLUMN pid_namespace');
}
