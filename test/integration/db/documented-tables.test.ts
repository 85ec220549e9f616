/** The tables of a migrated database are those that docs/build/architecture.md explains. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { connectDb } from '../../../db/connection.js';
import { createTestDatabase } from '../../support/worlds/test-database.js';

const PAGE = fileURLToPath(new URL('../../../../docs/build/architecture.md', import.meta.url));

describe('the tables of the database', () => {
  it('are each in a row of the page about the architecture, and no others are', async () => {
    const database = await createTestDatabase();
    const db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
    try {
      const { rows } = await db.raw<{ rows: { name: string }[] }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
           AND NOT relispartition AND relname NOT LIKE 'schema_migration%'
         ORDER BY relname COLLATE "C"`,
      );
      const [, table = ''] = /\n## Data\n\n((?:\|.*\n)+)/.exec(readFileSync(PAGE, 'utf8')) ?? [];
      const [, , ...lines] = table.trim().split('\n');
      const explained = lines.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
      assert.deepEqual(explained.map(([, name]) => name).sort(), rows.map(({ name }) => name).sort());
    } finally {
      await db.destroy();
      await database.drop();
    }
  });
});
