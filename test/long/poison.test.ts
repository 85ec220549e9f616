/** Steps that end their process: they fail by themselves, and nothing else does. Steps that others end are not among them. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../support/faults/faults.js';
import { POISON } from '../support/faults/poison.js';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { type Accepted, startWorld, type World } from '../support/worlds/world.js';

const PRELOADED = fileURLToPath(new URL('../support/faults/poison.js', import.meta.url));
const ENVIRONMENT = {
  WORKER_LOCK_MS: '2000',
  WORKER_STALLED_MS: '500',
  RECONCILE_MS: '250',
  SHUTDOWN_GRACE_MS: '400',
  LOG_LEVEL: 'info',
} as const;
const WITHIN_MS = 30_000;
const WAYS = {
  postgres: { by: 'memory', options: '--max-old-space-size=100', how: 'SIGABRT' },
  redis: { by: 'kill', options: '', how: 'SIGKILL' },
} as const;

describe('a step that ends its process', function () {
  this.timeout(240_000);

  forEachBackend((backend) => {
    let world: World;
    let supervised: Supervised | undefined;
    let gate: Gate | undefined;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
    });
    after(() => world.stop());
    afterEach(async () => {
      await gate?.open();
      await supervised?.stop();
    });

    // One way on each: what ends the process makes no difference to the queue.
    const { by, options, how } = WAYS[backend.name];
    it(`is stopped after it has done so three times by itself, and all other jobs are executed (${by})`, async () => {
      const [tenant, neighbour] = [await newShop(), await newShop()];
      const bad = await world.acceptFile(tenant, 'x.csv', csv(['a', 'b', 'c', `${POISON}1`, 'e']));
      const later = await world.acceptFile(tenant, 'y.csv', csv(['a', 'y']));
      const other = await world.acceptFile(neighbour, 'z.csv', csv(['a', 'b', 'c', 'd']));
      const jobs = [bad, later, other];
      const { producer, logger } = world.services;
      for (const { outboxEntries } of jobs) await enqueueEntries(producer, outboxEntries, logger);
      supervised = supervise(world, { POISON_BY: by, NODE_OPTIONS: `--import=${PRELOADED} ${options}`.trim() });
      await untilEnded(jobs);
      assert.deepEqual(await statusesOf(jobs), [
        ['FAILED', 'WORKER_DIED'],
        ['COMPLETED', null],
        ['COMPLETED', null],
      ]);
      const { statusMessage } = await tenant.ask('GET', `/jobs/${bad.jobId}`);
      assert.match(statusMessage, new RegExp(`ended the process that executed it \\(${how}\\) each of 3 times`));
      // The first chunk may have been under way when the worker ended: then the job can fail before it runs again.
      const items = (await tenant.items()).map(({ sku }) => sku).sort();
      const first = items.includes('b');
      assert.match(statusMessage, first ? /the 3 rows applied before remain/ : /no row was applied before/);
      assert.deepEqual(items, first ? ['a', 'b', 'c', 'y'] : ['a', 'y']);
      // It ended one worker before it was suspected.
      assert.ok(supervised.ended() <= 1, `${supervised.ended()} workers have ended`);
    });

    it('is stopped as well if it stands still each time: its processes end themselves', async () => {
      const [tenant, neighbour] = [await newShop(), await newShop()];
      const bad = await world.acceptFile(tenant, 'x.csv', csv(['a', `${POISON}1`]));
      const other = await world.acceptFile(neighbour, 'z.csv', csv(['a', 'b', 'c', 'd']));
      const { producer, logger } = world.services;
      for (const { outboxEntries } of [bad, other]) await enqueueEntries(producer, outboxEntries, logger);
      const watched = { WATCHDOG_MS: '4000', DATABASE_SILENCE_MS: '1000', STORAGE_TIMEOUT_MS: '1000' };
      supervised = supervise(world, {
        ...{ ...watched, WEBHOOK_TIMEOUT_SECONDS: '1' },
        ...{ POISON_BY: 'stand', NODE_OPTIONS: `--import=${PRELOADED}` },
      });
      await untilEnded([bad, other]);
      assert.deepEqual(await statusesOf([bad, other]), [
        ['FAILED', 'WORKER_DIED'],
        ['COMPLETED', null],
      ]);
      assert.equal(supervised.ended(), 1);
    });

    it('is stopped though it was executed together with others, which are executed, and ends no second worker', async () => {
      const [tenant, neighbour] = [await newShop(), await newShop()];
      const row = (sku: string) => [{ sku, nodeName: 'Disk', attributes: { Title: 'T' } }];
      const jobs: Accepted[] = [];
      for (const sku of ['a', `${POISON}1`, 'c']) jobs.push(await world.acceptRows(tenant, 'upsert', row(sku)));
      jobs.push(await world.acceptRows(neighbour, 'upsert', row('a')));
      const { producer, logger } = world.services;
      const entries = jobs.flatMap(({ outboxEntries }) => outboxEntries);
      await enqueueEntries(producer, entries, logger);
      supervised = supervise(world, { POISON_BY: by, NODE_OPTIONS: `--import=${PRELOADED} ${options}`.trim() });
      await untilEnded(jobs);
      assert.deepEqual(
        (await statusesOf(jobs)).map(([status, reason]) => reason ?? status),
        ['COMPLETED', 'WORKER_DIED', 'COMPLETED', 'COMPLETED'],
      );
      assert.ok(supervised.ended() <= 1, `${supervised.ended()} workers have ended`);
    });

    it('is not one whose worker is killed or stopped by others, however often', async () => {
      const shop = await newShop();
      gate = await shutGate(world.services.config.databaseUrl);
      const job = await world.acceptFile(shop, 'x.csv', csv([`${FAULT.wait}1`, 'b', 'c', 'd']));
      await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
      for (const signal of ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
        const worker = await startWorkerProcess(world, ENVIRONMENT);
        await gate.reached();
        await worker.stop(signal);
        await until('its step has ended with it', async () => !(await isAtGate()), WITHIN_MS);
      }
      await gate.open();
      supervised = supervise(world);
      await untilEnded([job]);
      assert.deepEqual(await statusesOf([job]), [['COMPLETED', null]]);
      const [chunk] = await world.db('job_chunk').where({ job_id: job.jobId, idx: 0 });
      assert.deepEqual([chunk.deaths, chunk.attempts, chunk.outages], [0, 0, 0]);
    });

    async function newShop(): Promise<Shop> {
      const workers = await world.startWorkers();
      try {
        return await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      } finally {
        await workers.stop();
      }
    }

    async function untilEnded(jobs: readonly Accepted[]): Promise<void> {
      const ids = jobs.map(({ jobId }) => jobId);
      const open = () => world.db('job').whereIn('id', ids).whereNull('completed_at').select('id', 'step');
      await until('all jobs have ended', async () => (await open()).length === 0, 180_000);
    }

    async function statusesOf(jobs: readonly Accepted[]): Promise<[string, string | null][]> {
      const rows = await world.db('job').select('id', 'status', 'reason');
      return jobs.map(({ jobId }) => {
        const { status, reason } = rows.find(({ id }) => id === jobId);
        return [status, reason];
      });
    }

    async function isAtGate(): Promise<boolean> {
      const { rows } = await world.db.raw(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length > 0;
    }
  });
});

interface Supervised {
  /** How many workers have ended by themselves so far. */
  ended(): number;
  stop(): Promise<void>;
}

/** Keeps one worker process running, as the launcher does. */
function supervise(world: World, environment: Readonly<Record<string, string>> = {}): Supervised {
  let isStopped = false;
  let ended = 0;
  let running: RunningProgram | undefined;
  const kept = (async () => {
    while (!isStopped) {
      // A worker may end before it is ready: the step waits for it.
      running = await startWorkerProcess(world, { ...ENVIRONMENT, ...environment }).catch(() => undefined);
      if (isStopped) await running?.stop('SIGKILL');
      await running?.exit;
      if (!isStopped) ended++;
    }
  })();
  return {
    ended: () => ended,
    stop: async () => {
      isStopped = true;
      await running?.stop('SIGKILL');
      await kept;
    },
  };
}

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
