/** Tables that one folder of the domain alone writes: no other source names them in a statement that writes. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../../../../src', import.meta.url));

interface Owner {
  readonly tables: readonly string[];
  readonly models: readonly string[];
  /** Whether others may not even read them by a query builder, but go through the door of the folder. */
  readonly hidden: boolean;
  readonly writing: readonly string[];
  readonly harmless: readonly string[];
}

/** Folder of the domain → its tables, the classes of their models, and statements to try the search on. */
const OWNERS: Readonly<Record<string, Owner>> = {
  jobs: {
    tables: ['job', 'job_chunk', 'job_order', 'job_order_floor', 'suspect_step'],
    models: ['Job', 'JobChunk'],
    hidden: false,
    writing: [
      'UPDATE job SET status = 1',
      'INSERT INTO job_chunk (a)',
      "await trx('job')\n  .where({ id })\n  .update({ step })",
      'await Job.query(trx).findById(id).patch({ step })',
      "db('job_order').delete()",
    ],
    harmless: [
      'FROM job WHERE',
      "await db('job').where({ id }).first('step');\nawait db('file').delete()",
      'JobChunk.query(db).where({ job_id: job.id })',
      'UPDATE job_memory SET',
    ],
  },
  outcomes: {
    tables: ['job_error', 'column_doubt'],
    models: ['JobError'],
    hidden: false,
    writing: ['INSERT INTO job_error (a)', "await trx('job_error').where({ job_id: id }).delete()"],
    harmless: ['FROM job_error WHERE', "db('job_error').where({ job_id: id }).first('row_no')"],
  },
  webhooks: {
    tables: [
      'event',
      'delivery',
      'delivery_attempt',
      'webhook_definition',
      'former_definition',
      'endpoint_health',
      'endpoint_rate',
    ],
    models: ['Event', 'Delivery', 'DeliveryAttempt', 'WebhookDefinition', 'EndpointHealth'],
    hidden: true,
    writing: [
      'UPDATE event SET payload = 1',
      "await trx('delivery').where({ id })",
      'INSERT INTO delivery_attempt (a)',
      'WebhookDefinition.query(trx)',
    ],
    harmless: ['UPDATE event_queue SET', "trx('document_event').insert(", 'FROM delivery WHERE'],
  },
};

/** SQL that writes a table, or a query builder of the table or of its model that does. */
function writes({ tables, models, hidden }: Owner): RegExp {
  const table = `(?:${tables.join('|')})`;
  const sql = `(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|COPY|TRUNCATE)\\s+(?:ONLY\\s+)?"?${table}\\b`;
  const builder = `\\b(?:db|trx|knex)\\(\\s*['"]${table}['"]|\\b(?:${models.join('|')})\\.query\\(`;
  // Within the same statement.
  const change = hidden
    ? ''
    : '[^;]*?\\.(?:insert|update|patch|patchAndFetch\\w*|delete\\w*|del|increment|decrement)\\(';
  return new RegExp(`${sql}|(?:${builder})${change}`);
}

describe('the tables of a folder', () => {
  for (const [folder, owner] of Object.entries(OWNERS)) {
    const pattern = writes(owner);

    it(`${owner.tables.join(', ')} are written by domain/${folder} alone`, async () => {
      const files = (await readdir(SOURCES, { recursive: true })).filter((file) => file.endsWith('.ts'));
      const found = await Promise.all(
        files.map(async (file) => (pattern.test(await readFile(join(SOURCES, file), 'utf8')) ? [file] : [])),
      );
      const writers = found.flat().map((file) => file.split(sep).slice(0, 2).join('/'));
      assert.deepEqual([...new Set(writers)], [`domain/${folder}`]);
    });

    it(`a statement that writes one of domain/${folder} is recognised`, () => {
      for (const text of owner.writing) assert.match(text, pattern);
      for (const text of owner.harmless) assert.doesNotMatch(text, pattern);
    });
  }
});
