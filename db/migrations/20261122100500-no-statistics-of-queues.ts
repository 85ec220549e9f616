/** Has the planner go by what a queue is for, and not by how full it happened to be when somebody last counted. */
import type { Knex } from 'knex';

/**
 * Columns by which rows wait, are due, run and end, and keys of which a table has few values now and a million soon.
 * Statistics of them are of one moment: taken while a queue is empty, or holds one job's chunks, they say that reading
 * the whole table is cheapest, and are believed until they are taken again. Without any the planner goes by the indexes.
 */
const COLUMNS = {
  job: [
    'site_id',
    'kind',
    'status',
    'line_no',
    'shared',
    'step',
    'dispatch',
    'dispatched_at',
    'started_at',
    'completed_at',
  ],
  job_chunk: ['job_id', 'status', 'dispatch', 'dispatched_at'],
  event: ['dispatched_at', 'fanned_out_at'],
  delivery: ['event_id', 'definition_id', 'callback_url', 'status', 'next_attempt_at', 'dispatch', 'dispatched_at'],
  webhook_definition: ['site_id', 'source', 'status'],
  bundle_item: ['site_id', 'bundle_sku', 'sku'],
  item_unique_value: ['site_id', 'attribute_id', 'sku'],
} as const;

export async function up(knex: Knex): Promise<void> {
  await setTarget(knex, 0);
  await knex.raw('ALTER INDEX job_chunk_due_ix ALTER COLUMN 1 SET STATISTICS 0');
  await forgetStatistics(knex);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER INDEX job_chunk_due_ix ALTER COLUMN 1 SET STATISTICS -1');
  await setTarget(knex, -1);
}

async function setTarget(knex: Knex, target: 0 | -1): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const changes = columns.map((column) => `ALTER COLUMN ${column} SET STATISTICS ${target}`);
    await knex.raw(`ALTER TABLE ${table} ${changes.join(', ')}`);
  }
}

/** What was taken before would be believed for ever. Older servers have no way to forget it but for a superuser's. */
async function forgetStatistics(knex: Knex): Promise<void> {
  const { rows } = await knex.raw("SELECT current_setting('server_version_num')::integer AS version");
  if (rows[0].version < 180_000) return;
  for (const [table, columns] of Object.entries(COLUMNS)) {
    for (const column of columns) {
      await knex.raw('SELECT pg_clear_attribute_stats(current_schema(), ?, ?, false)', [table, column]);
    }
  }
}
