/** The store or the database is away while jobs run: they wait, visibly and in order, and no attempt is spent. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import pg from 'pg';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { recordFailure } from '../../../src/domain/jobs/record-failure.js';
import type { StepPayload } from '../../../src/queues/define-queue.js';
import { enqueueEntries, type OutboxEntry } from '../../../src/queues/outbox.js';
import { failureOf } from '../../../src/workers/failure.js';
import { createHandlers } from '../../../src/workers/index.js';
import {
  type BreakableS3,
  type BreakableStore,
  breakableFolder,
  breakableS3,
} from '../../support/faults/breakable-store.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import { FAULT, installFaults, shutGate } from '../../support/faults/faults.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

/** More than a job has attempts. */
const MANY = 12;
/** More than the outages that a step may meet by itself, and its attempts together. */
const OFTEN = 30;
const WITHIN_MS = 20_000;

describe('an outage', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    let store: BreakableStore;
    let world: World;
    let shop: Shop;
    before(async () => {
      store = breakableFolder();
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { STORAGE_URL: store.place } });
      await installFaults(world.db);
      await world.startWorkers({}, BULK_ONLY);
    });
    after(async () => {
      await world.stop();
      await store.close();
    });
    beforeEach(async () => {
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });

    it('of the store has its jobs wait, and those behind them, which continue in order when it is back', () =>
      waitOutAnOutage(world, shop, store));

    it('of the database spends no attempt when the connection of a step is lost', async () => {
      const gate = await shutGate(world.services.config.databaseUrl);
      try {
        const job = await world.acceptFile(shop, 'x.csv', csv([`${FAULT.wait}1`, 'b', 'c', 'd']));
        await enqueue(world, job);
        for (let lost = 1; lost <= 2; lost++) {
          await gate.reached();
          await world.db.raw(
            `SELECT pg_terminate_backend(pid) FROM ${OWN_LOCKS} WHERE locktype = 'advisory' AND NOT granted`,
          );
          await until('the loss is recorded', async () => (await countsOf(world, job)).outages === lost, WITHIN_MS);
        }
        assert.match(await messageOf(shop, job), /^waits, because the database cannot be used at present/);
        assert.equal((await countsOf(world, job)).attempts, 0);
        await gate.open();
        assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
      } finally {
        await gate.open();
      }
    });
  });

  describe('of an S3 server', () => {
    let store: BreakableS3;
    let world: World;
    let shop: Shop;
    before(async function () {
      store = await breakableS3(this, '&direct=false');
      world = await startWorld({ environment: { STORAGE_URL: store.place } });
      await world.startWorkers({}, BULK_ONLY);
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    afterEach(() => store?.show());
    after(async () => {
      await world?.stop();
      await store?.close();
    });

    it('has its jobs wait, and those behind them, which continue in order when it is back', () =>
      waitOutAnOutage(world, shop, store));

    it('is not that it has no such object: the job is FAILED, which it says', async () => {
      const job = await world.acceptFile(shop, 'x.csv', csv(['a']));
      const { storage_key: key } = await world.db('file').where({ job_id: job.jobId }).first();
      await store.hideFile(key);
      await drive(world, job.outboxEntries, () => null);
      const { status, reason, message } = await shop.outcome(job.jobId);
      assert.deepEqual([status, reason], ['FAILED', 'FILE_MISSING']);
      assert.match(message, /no longer in the file store.*; later jobs of this account and stage go on$/);
      assert.equal((await shop.importFile('y.csv', csv(['b']))).status, 'COMPLETED');
    });

    it('that is full has uploads refused with 503, then announcements, and jobs wait', async () => {
      const announcement = { fileName: 'x.csv', fileType: 'ITEM_IMPORT' };
      const announced = await shop.ask('POST', '/files/product', { body: announcement });
      // Its error file is written at the end.
      const waiting = await world.acceptFile(shop, 'x.csv', csv(['c', '']));
      store.proxy.fail('PUT', 'full');
      store.proxy.fail('POST', 'full');
      await enqueue(world, waiting);
      await until('the job waits', async () => (await countsOf(world, waiting)).outages >= 2, WITHIN_MS);
      const refused = await shop.put(announced, csv(['d']));
      assert.equal(refused.status, 503, refused.text);
      assert.match(refused.text, /has 0 MiB of free space/);
      const later = await shop.post('/files/product', announcement);
      assert.equal(later.status, 503);
      assert.equal(later.headers.get('retry-after'), '60');
      store.show();
      assert.equal((await shop.outcome(waiting.jobId)).status, 'COMPLETED_PARTIALLY');
      assert.equal((await countsOf(world, waiting)).attempts, 0);
      const again = async () => (await shop.put(announced, csv(['d']))).status === 200;
      await until('the URL can be used again', again, WITHIN_MS);
      await until(
        'files are accepted',
        async () => (await shop.post('/files/product', announcement)).status === 200,
        WITHIN_MS,
      );
    });
  });

  describe('that only some steps meet', () => {
    let store: BreakableStore;
    let world: World;
    let shop: Shop;
    before(async () => {
      store = breakableFolder();
      world = await startWorld({ environment: { STORAGE_URL: store.place } });
      // They define the catalog. The steps of the test's jobs are not on the queue.
      await world.startWorkers({}, BULK_ONLY);
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    after(async () => {
      await world.stop();
      await store.close();
    });

    for (const code of ['EIO', 'ENOSPC']) {
      it(`of the store outlasts all attempts of a job, at each of its steps (${code})`, async () => {
        const { jobId, outboxEntries } = await world.acceptFile(
          shop,
          'x.csv',
          csv([`${code}1`, `${code}2`, '', `${code}4`, `${code}5`]),
        );
        let failures = 0;
        let failing = MANY;
        await drive(world, outboxEntries, (step) => {
          if (failing-- <= 0) {
            failing = MANY;
            return null;
          }
          failures++;
          return Object.assign(new Error(`${step.queue}: no`), { code });
        });
        assert.equal(failures, 4 * MANY, 'plan, two chunks, and finish');
        const { status, created } = await shop.outcome(jobId);
        assert.deepEqual([status, created], ['COMPLETED_PARTIALLY', 4]);
      });
    }

    it('of the store is not that it has no such file: the job is FAILED, which it says, and retried when it is back', async () => {
      const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', csv(['a']));
      const { storage_key: key } = await world.db('file').where({ job_id: jobId }).first();
      const show = await store.hideFile(key);
      await drive(world, outboxEntries, () => null);
      const { status, reason, message } = await shop.outcome(jobId);
      assert.deepEqual([status, reason], ['FAILED', 'FILE_MISSING']);
      assert.match(message, /no longer in the file store.*; later jobs of this account and stage go on$/);
      const retry = () => shop.call('POST', `/jobs/${jobId}/actions/retry`);
      const refused = await retry();
      assert.equal(refused.status, 410, JSON.stringify(refused.body));
      assert.match(refused.body.message, /no longer in the file store: announce it and upload it again/);
      await show();
      assert.equal((await retry()).status, 202);
    });

    it('of the database spends no attempt if a statement cannot cause it, however often it is met while others are done', async () => {
      for (const error of [await shutDown(), await withoutRoom()]) {
        const { jobId } = await world.acceptFile(shop, 'x.csv', csv(['a']));
        await failOften(jobId, error);
        const { attempts, outages, completed_at: end } = await world.db('job').where({ id: jobId }).first();
        assert.deepEqual([attempts, outages, end], [0, OFTEN, null], error.message);
        await cancelJob(world.db, JOB_TYPES, shop.siteId, jobId);
      }
    });

    it('of the database is the fault of a step whose connection is lost again and again, if others are done meanwhile', async () => {
      const error = await connectionLost();
      const [waiting, guilty] = [
        await world.acceptFile(shop, 'x.csv', csv(['a'])),
        await world.acceptFile(shop, 'y.csv', csv(['a'])),
      ];
      const done = world.db('job').whereNotNull('completed_at');
      await done.clone().update({ completed_at: world.db.raw("completed_at - interval '1 hour'") });
      await failOften(waiting.jobId, error);
      const { attempts, outages } = await world.db('job').where({ id: waiting.jobId }).first();
      assert.deepEqual([attempts, outages], [0, OFTEN], 'nobody else is served');
      await done.clone().update({ completed_at: new Date() });
      await failOften(guilty.jobId, error);
      const { status, reason } = await world.db('job').where({ id: guilty.jobId }).first();
      assert.deepEqual([status, reason], ['FAILED', 'INTERNAL_ERROR']);
    });

    /** Has the plan step of a job fail again and again, as a worker would record it. */
    async function failOften(jobId: string, error: Error): Promise<void> {
      let payload: StepPayload | undefined = { jobId, dispatch: 1 };
      for (let failures = 0; failures < OFTEN && payload !== undefined; failures++) {
        const failure = await failureOf(world.services, error);
        const { outboxEntries } = await recordFailure(world.db, JOB_TYPES, payload, failure);
        const [again] = outboxEntries;
        payload = again?.queue === 'plan' ? again.payload : undefined;
      }
    }

    async function connected(url = world.services.config.databaseUrl): Promise<pg.Client> {
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      await client.connect();
      return client;
    }

    async function shutDown(): Promise<Error> {
      return (await connected()).query('SELECT pg_terminate_backend(pg_backend_pid())').then(
        () => assert.fail('it is refused'),
        (error) => error,
      );
    }

    async function withoutRoom(): Promise<Error> {
      const url = new URL(world.services.config.databaseUrl);
      [url.username, url.password] = [`crowded_${process.pid}`, 'secret'];
      await world.db.raw(`CREATE ROLE ${url.username} LOGIN PASSWORD '${url.password}' CONNECTION LIMIT 0`);
      try {
        return await connected(url.href).then(
          () => assert.fail('it is refused'),
          (error) => error,
        );
      } finally {
        await world.db.raw(`DROP ROLE ${url.username}`);
      }
    }

    async function connectionLost(): Promise<Error> {
      const client = await connected();
      const lost = client.query('SELECT pg_sleep(60)').then(
        () => assert.fail('it is refused'),
        (error) => error,
      );
      (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      return lost;
    }
  });
});

function csv(skus: readonly string[], title = 'T'): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,${title}\n`).join('')}`;
}

/** Two files of a site are accepted, and their store is away for a while. */
async function waitOutAnOutage(world: World, shop: Shop, store: BreakableStore): Promise<void> {
  const first = await world.acceptFile(shop, 'x.csv', csv(['a'], 'first'));
  const second = await world.acceptFile(shop, 'x.csv', csv(['a'], 'second'));
  store.hide();
  try {
    for (const job of [first, second]) await enqueue(world, job);
    await until('the first job has waited twice', async () => (await countsOf(world, first)).outages >= 2, WITHIN_MS);
    assert.match(await messageOf(shop, first), /^waits, because the file store cannot be used at present/);
    assert.match(await messageOf(shop, second), new RegExp(`^waits for job ${first.jobId}, which waits, because`));
    const listed = await shop.ask('GET', `/jobs/product?ids=${first.jobId},${second.jobId}`);
    assert.deepEqual(
      listed.data.map(({ statusMessage }: { statusMessage: string }) => /file store/.test(statusMessage)),
      [true, true],
    );
  } finally {
    store.show();
  }
  for (const job of [first, second]) assert.equal((await shop.outcome(job.jobId)).status, 'COMPLETED');
  assert.deepEqual(await shop.values('Title'), { a: 'second' });
  assert.equal((await countsOf(world, first)).attempts, 0);
  assert.doesNotMatch(String((await shop.outcome(first.jobId)).message), /waits/);
}

function enqueue(world: World, { outboxEntries }: Accepted): Promise<void> {
  return enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
}

async function countsOf(world: World, { jobId }: Accepted): Promise<{ attempts: number; outages: number }> {
  const chunks = await world.db('job_chunk').where({ job_id: jobId }).select('attempts', 'outages');
  const steps = [await world.db('job').where({ id: jobId }).first('attempts', 'outages'), ...chunks];
  const sum = (name: 'attempts' | 'outages') => steps.reduce((total, step) => total + step[name], 0);
  return { attempts: sum('attempts'), outages: sum('outages') };
}

async function messageOf(shop: Shop, { jobId }: Accepted): Promise<string> {
  return (await shop.ask('GET', `/jobs/${jobId}`)).statusMessage;
}

/** Runs steps as workers would, without the pauses. @param errorOf what a step meets in place of its work */
async function drive(
  world: World,
  steps: readonly OutboxEntry[],
  errorOf: (step: OutboxEntry) => Error | null,
): Promise<void> {
  const ahead = [...steps];
  const broken = { ping: () => Promise.reject(new Error('no')) };
  const services = { ...world.services, producer: unheard(world.services.producer, ahead) };
  for (let step = ahead.shift(); step !== undefined; step = ahead.shift()) {
    const planted = errorOf(step);
    try {
      if (planted !== null) throw planted;
      await runStep(services, step);
    } catch (error) {
      const fileStore = planted === null ? services.fileStore : { ...services.fileStore, ...broken };
      const failure = await failureOf({ fileStore }, error);
      if (step.queue === 'plan') await handlers.planJob.failed(services, step.payload, error, failure);
      else if (step.queue === 'apply') await handlers.applyChunk.failed(services, step.payload, error, failure);
      else if (step.queue === 'finish') await handlers.finishJob.failed(services, step.payload, error, failure);
    }
  }
}
