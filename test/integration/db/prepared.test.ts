import assert from 'node:assert/strict';
import { connectDb, type Db } from '../../../db/connection.js';
import { JOB_COLUMNS } from '../../../db/models/job.js';
import { prepared } from '../../../db/prepared.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

const GROWN = 20_000;
const LOOK_UP = 'SELECT value FROM place WHERE id = ?::integer';

describe('prepared statements', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = open();
    // Autovacuum would analyze the table, which renews plans as well.
    await db.raw('CREATE TABLE place (id integer PRIMARY KEY, value integer) WITH (autovacuum_enabled = off)');
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await db.raw('TRUNCATE place');
    await db.raw('INSERT INTO place VALUES (1, 1)');
    await db.raw('ANALYZE place');
  });

  it('are parsed once by a connection', async () => {
    for (let id = 0; id < 3; id++) await prepared(db, LOOK_UP, [id]);
    const { rows } = await db.raw('SELECT generic_plans + custom_plans AS uses FROM pg_prepared_statements');
    assert.deepEqual(rows, [{ uses: 3 }]);
  });

  it('are planned anew as the tables grow, although the tables are not analyzed', async () => {
    for (let nth = 0; nth < 10; nth++) await prepared(db, LOOK_UP, [1]);
    assert.match(await planOf(LOOK_UP), /Seq Scan/, 'a plan for one row is kept');
    await db.raw(`INSERT INTO place SELECT id, id FROM generate_series(2, ${GROWN}) AS id`);
    for (let nth = 0; nth < 10; nth++) await prepared(db, LOOK_UP, [GROWN]);
    assert.match(await planOf(LOOK_UP), /Index Scan/);
  });

  it('go on after a failed transaction in which they were planned anew', async () => {
    const failing = db.transaction(async (trx) => {
      await trx.raw('SELECT 1 / 0').catch(() => undefined);
      for (let nth = 0; nth < 40; nth++) await prepared(trx, LOOK_UP, [1]).catch(() => undefined);
      throw new Error('rolled back');
    });
    await assert.rejects(failing, /rolled back/);
    assert.equal((await prepared<{ rows: { value: number }[] }>(db, LOOK_UP, [1])).rows[0]?.value, 1);
  });

  it('wait for each other in a transaction that has two in progress, so that pg does not warn', async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => warnings.push(message);
    process.on('warning', note);
    const fresh = open();
    try {
      await fresh.transaction(async (trx) => {
        for (let nth = 0; nth < 20; nth++) {
          await Promise.all([prepared(trx, LOOK_UP, [1]), prepared(trx, LOOK_UP, [2])]);
        }
      });
      // Warnings are emitted in a later turn.
      await new Promise(setImmediate);
    } finally {
      process.off('warning', note);
      await fresh.destroy();
    }
    assert.deepEqual(warnings, []);
  });

  it('leave nothing behind of a transaction in which another statement has failed beside them', async () => {
    for (let id = 100; id < 140; id++) {
      const failing = db.transaction((trx) =>
        Promise.all([trx.raw('SELECT 1 / 0'), prepared(trx, 'INSERT INTO place VALUES (?::integer)', [id])]),
      );
      await assert.rejects(failing, /division by zero/);
    }
    // One connection has them in order.
    assert.deepEqual((await db.raw('SELECT id FROM place WHERE id >= 100')).rows, []);
  });

  it('are not prepared where that is switched off', async () => {
    const plain = open(false);
    try {
      for (let id = 0; id < 3; id++) await plain.transaction((trx) => prepared(trx, LOOK_UP, [id]));
      const { rows } = await plain.raw('SELECT name FROM pg_prepared_statements');
      assert.deepEqual(rows, []);
    } finally {
      await plain.destroy();
    }
  });

  it('name all columns of a job', async () => {
    const { rows } = await db.raw(
      "SELECT attname FROM pg_attribute WHERE attrelid = 'job'::regclass AND attnum > 0 AND NOT attisdropped",
    );
    assert.deepEqual(rows.map(({ attname }: { attname: string }) => attname).sort(), [...JOB_COLUMNS].sort());
  });

  function open(preparesStatements = true): Db {
    return connectDb({ url: database.url, poolMax: 1, name: 'test', preparesStatements });
  }

  /** The plan that the connection keeps for a statement. */
  async function planOf(text: string): Promise<string> {
    const { rows } = await db.raw('SELECT name FROM pg_prepared_statements WHERE statement = ?', [
      text.replace('?', '$1'),
    ]);
    await db.raw("SET plan_cache_mode = 'force_generic_plan'");
    const explained = await db.raw(`EXPLAIN EXECUTE "${rows[0].name}" (1)`);
    await db.raw('RESET plan_cache_mode');
    return JSON.stringify(explained.rows);
  }
});
