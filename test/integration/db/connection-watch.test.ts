/** Which connections the watch destroys, and which it leaves alone however long they are silent. */
import assert from 'node:assert/strict';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { connectDb, type Db } from '../../../db/connection.js';
import { SilentSessions, watchConnections } from '../../../db/connection-watch.js';
import { copyOut, inSnapshot } from '../../../db/copy-out.js';
import { sql } from '../../../db/sql.js';
import { createAuthenticator } from '../../../src/domain/access/authenticate.js';
import { unseenWaits } from '../../support/check-transactions.js';
import { openSilentLine, type SilentLine } from '../../support/faults/silent-line.js';
import { until } from '../../support/until.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

/** Idle transactions end after three times as long. */
const SILENCE_MS = 500;
/** The time between two looks. */
const LOOKED_AT_SECONDS = 0.1;
/** So long that anything that the watch misjudges is lost. */
const LONG_SECONDS = 4;

describe('the watch of connections to Postgres', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let line: SilentLine;
  let db: Db;
  /** By another way, without the line. */
  let direct: Db;
  /** What `db` was seen to do. */
  let activities: string[];
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    line = await openSilentLine(database.url);
    const watch = watchConnections({ url: line.url, silenceMs: SILENCE_MS });
    activities = [];
    const onActivity = (activity: string) => activities.push(activity);
    db = connectDb({ url: line.url, poolMax: 4, name: 'watched', watch, onActivity });
    direct = connectDb({ url: database.url, poolMax: 2, name: 'direct' });
  });
  afterEach(async () => {
    await Promise.all([db.destroy(), direct.destroy()]);
    await line.close();
  });

  it('fails the statement of a silent connection as an outage, and ends its session and its locks', async () => {
    const transaction = await db.transaction();
    await transaction.raw('SELECT pg_advisory_xact_lock(1)');
    line.silence();
    await assert.rejects(transaction.raw('SELECT 1'), { name: 'SilentConnectionError', code: 'ETIMEDOUT' });
    await transaction.rollback();
    await direct.raw('SELECT pg_advisory_xact_lock(1)');
    await db.raw('SELECT 1');
  });

  it('takes idle connections that are silent out of the pool', async () => {
    await Promise.all([db.raw('SELECT pg_sleep(0.1)'), db.raw('SELECT pg_sleep(0.1)')]);
    assert.equal(line.silence(), 2);
    await passed();
    // On one that is silent it would wait, and be rejected.
    await Promise.all([db.raw('SELECT 1'), db.raw('SELECT 1')]);
  });

  it('leaves a statement alone that runs for long, and one that waits for a lock; and says that they go on', async () => {
    const holder = await direct.transaction();
    await holder.raw('SELECT pg_advisory_xact_lock(2)');
    const waiting = Promise.all([db.raw('SELECT pg_advisory_lock(2)'), db.raw(`SELECT pg_sleep(${LONG_SECONDS})`)]);
    await passed();
    assert.ok(activities.filter((activity) => activity === 'statement').length > 2 * 2, activities.join());
    await holder.commit();
    await waiting;
  });

  it('leaves an idle transaction of a living process alone, which the limit would end otherwise, and sees that it is idle', async () => {
    const transaction = await db.transaction();
    await transaction.raw('SELECT pg_advisory_xact_lock(3)');
    await passed(2 * LOOKED_AT_SECONDS);
    const begun = [...activities];
    assert.deepEqual([...new Set(begun)], ['bytes'], 'looks saw its beginning');
    await passed();
    assert.deepEqual(activities, begun, 'and nothing later');
    await transaction.raw('SELECT 1');
    await transaction.commit();
  });

  const COPIES = [
    ['whose rows are read slowly', 1_000_000],
    ['that Postgres has ended, whose last rows are read slowly', 1_000],
  ] as const;
  for (const [which, rows] of COPIES) {
    it(`leaves a COPY alone ${which}`, () => readSlowly(rows));
  }

  it('leaves a COPY alone whose rows are read so slowly that the network would give the session up', async () => {
    const one = connectDb({ url: database.url, poolMax: 1, name: 'one' });
    await one.raw("SET tcp_user_timeout = '1s'");
    await readSlowly(1_000_000, one).finally(() => one.destroy());
  });

  async function readSlowly(rows: number, reader = db): Promise<void> {
    const count = await inSnapshot(reader, (snapshot) => {
      const query = sql`SELECT repeat('x', 100) FROM generate_series(1, ${rows})`;
      return copyOut(snapshot, reader, query, 'text', new AbortController().signal, async (stream) => {
        await passed();
        for await (const piece of stream) assert.ok(piece.length > 0);
      });
    });
    assert.equal(count, rows);
    // It is this test that asks the server for the time on another connection, beside the transaction of the COPY.
    unseenWaits();
  }

  it('ends what a lost process has left in the middle of a COPY, with its locks, and no COPY that moves', async () => {
    const [left, moving] = [await beginCopy('left'), await beginCopy('moving')];
    const sessions = new SilentSessions(SILENCE_MS);
    const feeding = setInterval(() => moving.stream.write('x\n'), SILENCE_MS / 5);
    try {
      let ended = 0;
      await until(
        'one is ended',
        async () => {
          ended += await sessions.end(direct);
          return ended > 0;
        },
        20_000,
      );
      assert.equal(ended, 1);
      await direct.raw(`SELECT pg_advisory_lock(hashtext('left')), pg_advisory_unlock(hashtext('left'))`);
      await passed();
      assert.equal(await sessions.end(direct), 0);
    } finally {
      clearInterval(feeding);
    }
    moving.stream.end();
    await finished(moving.stream);
    for (const { client } of [left, moving]) await client.end();
  });

  /** A process that sends the rows of a COPY as the test tells it to, and holds a lock meanwhile. */
  async function beginCopy(name: string): Promise<{ client: pg.Client; stream: Writable }> {
    const client = new pg.Client({ connectionString: database.url, application_name: 'longshore-worker' });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(
      `BEGIN; SELECT pg_advisory_xact_lock(hashtext('${name}')); CREATE TEMPORARY TABLE ${name}_rows (t text)`,
    );
    const stream = client.query(from(`COPY ${name}_rows FROM STDIN`));
    stream.on('error', () => undefined);
    stream.write('x\n');
    return { client, stream };
  }

  it('has a token looked up anew while the first look-up is silent', async () => {
    let now = 0;
    const { authenticate } = createAuthenticator(db, () => now);
    await db.raw('SELECT 1');
    line.silence();
    const first = authenticate('unknown');
    const sharing = authenticate('unknown');
    // The query of both is sent.
    await setImmediate();
    await setImmediate();
    now += 1_000;
    assert.equal(await authenticate('unknown'), null);
    await assert.rejects(first, { name: 'SilentConnectionError' });
    await assert.rejects(sharing, { name: 'SilentConnectionError' });
  });

  /** Resolves after some seconds, by the clock of the database; what the watch has to do by then it has done. */
  async function passed(seconds = LONG_SECONDS): Promise<void> {
    await direct.raw(`SELECT pg_sleep(${seconds})`);
  }
});
