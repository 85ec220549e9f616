import assert from 'node:assert/strict';
import { connectDb, type Db } from '../../../db/connection.js';
import { copyValue } from '../../../db/copy-value.js';
import { sql } from '../../../db/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

/** A text of many messages of the network, of characters of one to four bytes. */
const LONG = 'aß€😀\n'.repeat(100_000);

describe('copyValue', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const read = (text: string, length = Buffer.byteLength(text)) =>
    db.transaction((trx) => copyValue(trx, sql`SELECT ${text}::text`, length));

  for (const [what, text] of [
    ['a text that is longer than a message', LONG],
    ['a short text', '{"sku":"A\\u0041"}'],
    ['an empty text', ''],
  ] as const) {
    it(`reads ${what} byte for byte`, async () => {
      const value = await read(text);
      assert.ok(value.equals(Buffer.from(text)), `${value.length} bytes`);
    });
  }

  it('leaves the connection to the next statement of the transaction', async () => {
    const rows = await db.transaction(async (trx) => {
      await copyValue(trx, sql`SELECT ${LONG}::text`, Buffer.byteLength(LONG));
      return (await trx.raw('SELECT 7 AS seven')).rows;
    });
    assert.deepEqual(rows, [{ seven: 7 }]);
  });

  for (const more of [-1, 1]) {
    it(`fails for a text that is ${more < 0 ? 'longer' : 'shorter'} than said`, () =>
      assert.rejects(read(LONG, Buffer.byteLength(LONG) + more), /the text has 1100000 bytes, not/));
  }

  it('fails when there is no row', () =>
    assert.rejects(
      db.transaction((trx) => copyValue(trx, sql`SELECT 'a' WHERE false`, 1)),
      /the text has/,
    ));

  it('throws what Postgres raises', () =>
    assert.rejects(
      db.transaction((trx) => copyValue(trx, sql`SELECT (1 / 0)::text`, 1)),
      { code: '22012' },
    ));
});
