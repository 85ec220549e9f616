/** Tables that one folder of the domain alone writes: no other source names them in a statement that writes. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../../../../src', import.meta.url));

/** Folder of the domain → its tables, and the classes of their models. */
const OWNERS: Readonly<Record<string, { readonly tables: readonly string[]; readonly models: readonly string[] }>> = {
  webhooks: {
    tables: ['event', 'delivery', 'delivery_attempt', 'webhook_definition', 'endpoint_health', 'endpoint_rate'],
    models: ['Event', 'Delivery', 'DeliveryAttempt', 'WebhookDefinition', 'EndpointHealth'],
  },
};

/** SQL that writes a table, a query builder of the table, or one of its model: readers go through the folder's door as well. */
function writes(tables: readonly string[], models: readonly string[]): RegExp {
  const table = `(?:${tables.join('|')})`;
  const sql = `(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|COPY|TRUNCATE)\\s+(?:ONLY\\s+)?"?${table}\\b`;
  const builder = `\\b(?:db|trx|knex)\\(\\s*['"]${table}['"]`;
  return new RegExp(`${sql}|${builder}|\\b(?:${models.join('|')})\\.query\\(`);
}

describe('the tables of a folder', () => {
  for (const [folder, { tables, models }] of Object.entries(OWNERS)) {
    const pattern = writes(tables, models);

    it(`${tables.join(', ')} are written by domain/${folder} alone`, async () => {
      const files = (await readdir(SOURCES, { recursive: true })).filter((file) => file.endsWith('.ts'));
      const found = await Promise.all(
        files.map(async (file) => (pattern.test(await readFile(join(SOURCES, file), 'utf8')) ? [file] : [])),
      );
      const writers = found.flat().map((file) => file.split(sep).slice(0, 2).join('/'));
      assert.deepEqual([...new Set(writers)], [`domain/${folder}`]);
    });

    it(`a statement that writes one of domain/${folder} is recognised`, () => {
      for (const text of [
        'UPDATE event SET payload = 1',
        "await trx('delivery').where({ id })",
        'INSERT INTO delivery_attempt (a)',
        'WebhookDefinition.query(trx)',
      ]) {
        assert.match(text, pattern);
      }
      for (const text of ['UPDATE event_queue SET', "trx('document_event').insert(", 'FROM delivery WHERE']) {
        assert.doesNotMatch(text, pattern);
      }
    });
  }
});
