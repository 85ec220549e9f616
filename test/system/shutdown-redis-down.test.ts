/** Processes whose Redis cannot be reached, told to end. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { FAULT, installFaults, shutGate } from '../support/faults/faults.js';
import { NOBODY_LISTENS } from '../support/worlds/reserved-port.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';
import { skipWithoutRedis, startTestRedis } from '../support/worlds/test-redis.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld } from '../support/worlds/world.js';

const GRACE_MS = 4_000;

describe('while Redis is out of reach', () => {
  let database: TestDatabase;
  let folder: string;
  const started: RunningProgram[] = [];
  before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'longshore-redis-down-'));
  });
  after(async () => {
    for (const { process: child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ end }) => end));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(entry: string, args: readonly string[], databaseUrl = database.url): Promise<RunningProgram> {
    const program = runProgram(entry, args, {
      DATABASE_URL: databaseUrl,
      REDIS_URL: `redis://127.0.0.1:${NOBODY_LISTENS}`,
      SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
      DATA_DIR: folder,
      PORT: '0',
      SHUTDOWN_GRACE_MS: String(GRACE_MS),
    });
    started.push(program);
    await program.said(/"msg":"(ready|listening)"/);
    await program.said(/the connection to Redis failed/);
    return program;
  }

  async function terminate(program: RunningProgram): Promise<number> {
    const askedAt = Date.now();
    program.process.kill('SIGTERM');
    assert.equal((await program.end).code, 0);
    return Date.now() - askedAt;
  }

  for (const [what, entry, args] of [
    ['an API', 'app/api/main.js', []],
    ['a worker', 'app/workers/main.js', []],
    ['a bulk worker', 'app/workers/main.js', ['bulk']],
    ['a maintenance worker', 'app/workers/main.js', ['maintenance']],
  ] as const) {
    it(`${what} with nothing in hand ends at once`, async () => {
      const ms = await terminate(await run(entry, args));
      assert.ok(ms < GRACE_MS / 2, `it took ${ms} ms`);
    });
  }

  it('a worker whose database takes connections and says nothing has ended when the grace period is over', async () => {
    const mute = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const ms = await terminate(await run('app/workers/main.js', [], `postgres://x@127.0.0.1:${port}/x`));
    mute.close();
    assert.ok(ms > GRACE_MS / 2, `it had nothing in hand: it took ${ms} ms`);
    assert.ok(ms < GRACE_MS + 500, `it took ${ms} ms`);
  });

  it('a worker that had something in hand has ended when the grace period is over', async function () {
    skipWithoutRedis(this);
    const redis = await startTestRedis();
    const world = await startWorld({ redisUrl: redis.url });
    const gate = await shutGate(world.services.config.databaseUrl);
    try {
      await installFaults(world.db);
      const worker = await startWorkerProcess(world, { SHUTDOWN_GRACE_MS: String(GRACE_MS) });
      started.push(worker);
      const shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      const job = await world.acceptRows(shop, 'upsert', [{ sku: `${FAULT.wait}1`, nodeName: 'Disk' }]);
      await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
      await gate.reached();
      await redis.kill();
      const ms = await terminate(worker);
      assert.ok(ms < GRACE_MS + 500, `it took ${ms} ms`);
    } finally {
      await gate.open();
      await world.stop();
      await redis.stop();
    }
  });
});
