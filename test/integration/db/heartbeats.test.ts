/** How living processes share limits by their heartbeats. The processes are objects here; their clocks and rows are real. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { Db } from '../../../db/connection.js';
import { connectDb } from '../../../db/connection.js';
import { Heartbeat } from '../../../db/heartbeats.js';
import { pidNamespace } from '../../../db/pid-namespace.js';
import { until } from '../../support/until.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';

const GROUP = 'webhook';
const KEYS = Array.from({ length: 60 }, (_, number) => `endpoint ${number}`);

describe('the shares of living processes', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = connectDb({ url: database.url, poolMax: 2, name: 'longshore-test' });
  });
  afterEach(() => db('process_heartbeat').delete());
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const start = async (groups = [GROUP]) => {
    const heartbeat = new Heartbeat(db, groups, 'test');
    await heartbeat.beat();
    return heartbeat;
  };
  const sums = (processes: readonly Heartbeat[], limit: number) =>
    new Set(KEYS.map((key) => processes.reduce((sum, one) => sum + one.shareOf(GROUP, limit, key), 0)));

  it('are the whole limit for one that is alone, whatever other groups are served', async () => {
    const alone = await start();
    await start(['bulk']);
    await alone.beat();
    assert.equal(alone.shareOf(GROUP, 5, 'a'), 5);
    assert.equal(alone.membersOf(GROUP), 1);
  });

  it('are 1 before the first heartbeat, and for one that others do not know yet', async () => {
    assert.equal(new Heartbeat(db, [GROUP], 'test').shareOf(GROUP, 5, 'a'), 1);
    await start();
    assert.equal((await start()).shareOf(GROUP, 50, 'a'), 1);
  });

  it('make up the limit for every key, and differ from key to key', async () => {
    const processes = [await start(), await start(), await start()];
    const [first = assert.fail()] = processes;
    const beatAll = async () => {
      for (const one of processes) await one.beat();
    };
    await until(
      'all know each other',
      async () => {
        await beatAll();
        return processes.every((one) => one.shareOf(GROUP, 300, 'a') === 100);
      },
      10_000,
    );
    for (const limit of [3, 5, 7, 50]) assert.deepEqual([...sums(processes, limit)], [limit]);
    assert.deepEqual([...sums(processes, 2)], [3], 'each has at least 1');
    assert.deepEqual([...new Set(KEYS.map((key) => first.shareOf(GROUP, 5, key)))].sort(), [1, 2]);

    // One of them is killed: its row stays, and becomes old.
    const [dead = assert.fail()] = processes.splice(1, 1);
    await db.raw("UPDATE process_heartbeat SET seen_at = now() - interval '7 seconds'");
    await beatAll();
    await beatAll();
    assert.equal(dead.membersOf(GROUP), 3);
    assert.deepEqual([...sums(processes, 5)], [5]);
  });

  it('leave out at once a process of this machine that was killed, but none that runs elsewhere', async function () {
    if (pidNamespace() === null) this.skip();
    // No process has this pid now.
    const { pid } = spawnSync(process.execPath, ['--version']);
    await start();
    await db('process_heartbeat').update({ pid });
    const successor = await start();
    assert.equal(successor.membersOf(GROUP), 1);
    assert.equal(successor.shareOf(GROUP, 50, 'a'), 50, 'nobody else has to learn of it');

    const elsewhere = await start();
    await db('process_heartbeat').where({ id: elsewhere.id }).update({ pid, pid_namespace: 'elsewhere' });
    await successor.beat();
    assert.equal(successor.membersOf(GROUP), 2);
    await db('process_heartbeat').where({ id: elsewhere.id }).update({ pid_namespace: null });
    await successor.beat();
    assert.equal(successor.membersOf(GROUP), 2, 'as an earlier release writes it');
  });
});
