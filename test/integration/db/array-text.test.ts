import assert from 'node:assert/strict';
import fc from 'fast-check';
import pg from 'pg';
import { arrayText } from '../../../db/array-text.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

describe('arrays as text', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  it('come out of Postgres as they went in', async () => {
    const text = fc
      .string({ unit: fc.oneof(fc.constantFrom('"', '\\', '{', '}', ',', ' ', '\n', 'NULL', 'é', '😀'), fc.string()) })
      .map((one) => one.toWellFormed().replaceAll('\u0000', ''));
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), fc.array(fc.option(number)), async (texts, numbers) => {
        const { rows } = await client.query('SELECT $1::text[] AS texts, $2::float8[] AS numbers', [
          arrayText(texts),
          arrayText(numbers),
        ]);
        assert.deepEqual(rows, [{ texts, numbers }]);
      }),
      { numRuns: 60 },
    );
  });

  it('take no number that is none', () => {
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => arrayText([none]), RangeError);
  });
});
