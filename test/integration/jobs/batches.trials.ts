/** Declares that small jobs that wait together are executed in one transaction, as if they had been executed one by one. */
import assert from 'node:assert/strict';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import type { Producer } from '../../../src/queues/producer.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { createHandlers } from '../../../src/workers/index.js';
import { DOOMED, runDoomed, unheard } from '../../support/faults/doomed-worker.js';
import { FAULT, installFaults, shutGate } from '../../support/faults/faults.js';
import type { Shop } from '../../support/http/shop.js';
import { assertChangesAddUp } from '../../support/models/change-sum.js';
import { pick, seededRandom } from '../../support/models/random.js';
import { until } from '../../support/until.js';
import { OWN_SESSIONS } from '../../support/worlds/own-sessions.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const handlers = createHandlers();

type Mode = 'insert' | 'upsert' | 'update';
interface Request {
  readonly mode: Mode;
  readonly rows: readonly object[];
}

/**
 * @param seeds of random requests
 * @param stride every so many messages of a batch to the database one is the last of its worker; 1: all are tried
 */
export function runBatchTrials(seeds: number, stride: number): void {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
    // They define the shops; the queue hears nothing of the jobs of these tests.
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await newShop();
  });

  it('is one transaction, begun by the first of the jobs that wait together', async () => {
    const jobs = await accept(['insert', 'upsert', 'insert', 'update', 'upsert'].map((mode) => one(mode as Mode)));
    assert.deepEqual(await run(first(jobs)), [], 'nothing is left to do');
    const rows = await world.db('job').where({ site_id: shop.siteId, kind: 'item' }).orderBy('line_no');
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['COMPLETED', 'COMPLETED', 'COMPLETED_PARTIALLY', 'COMPLETED', 'COMPLETED'],
      'the second insert of one SKU fails',
    );
    assert.equal(new Set(rows.map(({ completed_at: at }) => at.getTime())).size, 1, 'they end at the same moment');
  });

  it('gives each job the result that it has when it is executed by itself', async () => {
    const alone = await newShop();
    for (let seed = 1; seed <= seeds; seed++) {
      const requests = randomRequests(seed);
      const jobs: Accepted[][] = [];
      for (const site of [shop, alone]) {
        await emptied(site);
        jobs.push(await acceptAll(site, requests));
        if (site === alone) await world.db('job_order').where({ site_id: site.siteId }).update({ batchable: false });
        await runAll(site);
      }
      const [together, one] = jobs;
      assert.deepEqual(await resultsOf(shop, together), await resultsOf(alone, one), `seed ${seed}`);
      assert.deepEqual(await itemsOf(shop), await itemsOf(alone), `seed ${seed}`);
      for (const site of [shop, alone]) await addsUp(site, `seed ${seed}`);
    }
  });

  it('records the status of each variant for the job that has changed its parent', async () => {
    const variants = ['a', 'b', 'c'].map((parentSku) => ({ ...item(`${parentSku}-1`), parentSku }));
    await accept([{ mode: 'insert', rows: [...['a', 'b', 'c'].map((sku) => branded(sku, 'B')), ...variants] }]);
    await runAll(shop);
    const jobs = await accept(['a', 'b', 'c'].map((sku) => ({ mode: 'update', rows: [branded(sku, null)] })));
    assert.deepEqual(await run(first(jobs)), []);
    for (const [nth, sku] of ['a', 'b', 'c'].entries()) {
      const { data } = await shop.ask('GET', `/jobs/${jobs[nth]?.jobId}/changes`);
      assert.deepEqual(
        data.map(({ sku, operation, row }: { sku: string; operation: string; row: number | null }) => [
          sku,
          operation,
          row,
        ]),
        [
          [sku, 'UPDATED', 1],
          [`${sku}-1`, 'STATUS', null],
        ],
      );
    }
    await addsUp(shop, 'three jobs');
  });

  it('gives each job the warnings about its own rows', async () => {
    const jobs = await accept([one('insert', ' a'), one('insert', 'b'), one('insert', 'c ')]);
    assert.deepEqual(await run(first(jobs)), []);
    const rows = await world.db('job').whereIn(
      'id',
      jobs.map(({ jobId }) => jobId),
    );
    const warnings = jobs.map(({ jobId }) => rows.find(({ id }) => id === jobId)?.warnings);
    const trimmed = (example: string) => [{ code: 'VALUE_TRIMMED', path: 'sku', count: 1, rows: '1', example }];
    assert.deepEqual(warnings, [
      trimmed('" a" was stored as "a", without the blanks around it'),
      null,
      trimmed('"c " was stored as "c", without the blanks around it'),
    ]);
  });

  it('goes on without a job that fails, and has it executed by itself', async () => {
    const jobs = await accept([one('insert', 'a'), one('insert', `${FAULT.fail}1`), one('insert', 'b')]);
    const left = await run(first(jobs));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED', 'SCHEDULED']);
    const [failing, last] = [jobs[1]?.jobId, jobs[2]?.jobId];
    assert.deepEqual(left, [plan(failing, 2), together(last, 2)], 'the inserts behind it may run beside it');
    await assert.rejects(run(plan(failing, 2)), /item is on fire/);
    await run(together(last, 2));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED', 'COMPLETED']);
  });

  it('is not tried again with a job whose attempt failed', async () => {
    const jobs = await accept([one('insert', 'a'), one('insert', 'b')]);
    const services = { ...world.services, producer: unheard(world.services.producer, []) };
    const step = { jobId: jobs[0]?.jobId ?? '', dispatch: 1 };
    await handlers.planJob.failed(services, step, new Error('the connection was lost'));
    assert.deepEqual(
      await releaseDue(world.db, [shop.siteId]),
      [together(jobs[1]?.jobId, 2)],
      'the other need not wait',
    );
    await run(plan(jobs[0]?.jobId, 2));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED']);
    await run(together(jobs[1]?.jobId, 2));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED']);
  });

  it('waits longer after each outage, tells the clients, and is split when only its own jobs meet them', async () => {
    const jobs = await accept([one('upsert', 'a'), one('upsert', 'b')]);
    const [step] = [first(jobs)].flatMap(({ queue, payload }) => (queue === 'plan-batch' ? payload.steps : []));
    assert.ok(step !== undefined);
    const error = new Error('the disk is full');
    let { dispatch } = step;
    const meetsOutage = async (lasting: boolean): Promise<{ entries: OutboxEntry[]; delayMs: number }> => {
      const outage = { kind: 'outage', part: 'database', lasting } as const;
      const entries: OutboxEntry[] = [];
      let delayMs = 0;
      const producer: Producer = unheard(world.services.producer, entries);
      const services: WorkerServices = {
        ...world.services,
        producer: {
          ...producer,
          enqueueMany: (contract, payloads, delay = 0) => {
            delayMs = delay;
            return producer.enqueueMany(contract, payloads);
          },
        },
      };
      await handlers.planBatch.failed(services, { steps: [{ ...step, dispatch: dispatch++ }] }, error, outage);
      return { entries, delayMs };
    };
    const delays = [];
    for (let nth = 0; nth < 7; nth++) delays.push((await meetsOutage(true)).delayMs);
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const [waiting, behind] = await Promise.all(jobs.map(({ jobId }) => shop.ask('GET', `/jobs/${jobId}`)));
    assert.match(waiting.statusMessage, /waits, because the database cannot be used at present.*next attempt: 20/);
    assert.match(behind.statusMessage, /waits.* for job/, 'so does the job behind it');
    for (let nth = 7; nth < 20; nth++) {
      assert.deepEqual(await meetsOutage(false), { entries: [together(step.jobId, dispatch)], delayMs: 30_000 });
    }
    const { entries } = await meetsOutage(false);
    assert.deepEqual(entries, [plan(step.jobId, dispatch)], 'it may be its fault: it is executed by itself');
    for (const entry of entries) for (const next of await run(entry)) await run(next);
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED']);
    const { statusMessage } = await shop.ask('GET', `/jobs/${step.jobId}`);
    assert.equal(statusMessage, null);
  });

  it('lets no job that must come after a failing one go before it', async () => {
    const jobs = await accept([one('upsert', 'a'), one('upsert', `${FAULT.fail}1`), one('upsert', 'a')]);
    const left = await run(first(jobs));
    assert.deepEqual(left, [plan(jobs[1]?.jobId, 2)]);
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED', 'SCHEDULED']);
  });

  it('fails only the row that the database refuses', async () => {
    const jobs = await accept([one('insert', 'a'), one('insert', `${FAULT.refuse}1`, 'b'), one('insert', 'c')]);
    await run(first(jobs));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED_PARTIALLY', 'COMPLETED']);
    const [failure, ...others] = (await shop.outcome(jobs[1]?.jobId ?? '')).errors;
    assert.deepEqual(others, []);
    assert.deepEqual([failure?.row, failure?.key], [1, `${FAULT.refuse}1`]);
  });

  it('goes on without a job that waits for the lock of another transaction', async () => {
    const gate = await shutGate(world.services.config.databaseUrl);
    try {
      const jobs = await accept([one('insert', 'a'), one('insert', `${FAULT.wait}1`)]);
      const left = await run(first(jobs));
      assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED']);
      assert.deepEqual(left, [plan(jobs[1]?.jobId, 2)]);
      const waiting = run(plan(jobs[1]?.jobId, 2));
      await gate.reached();
      await gate.open();
      await waiting;
      assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED']);
    } finally {
      await gate.open();
    }
  });

  it('leaves out a job that was cancelled, and executes those behind it', async () => {
    const jobs = await accept([one('upsert', 'a'), one('upsert', 'b'), one('upsert', 'c')]);
    await cancelJob(world.db, JOB_TYPES, shop.siteId, jobs[1]?.jobId ?? '');
    await runAll(shop);
    await runEntries(await releaseDue(world.db, [shop.siteId]));
    const [a, cancelled] = await statuses(jobs);
    assert.equal(a, 'COMPLETED');
    assert.notEqual(cancelled, 'COMPLETED');
    assert.equal((await itemsOf(shop)).length < 3, true);
  });

  it('executes a job once, whatever queue jobs there are of it', async () => {
    const jobs = await accept([one('insert', 'a'), one('insert', 'b'), one('insert', 'c')]);
    const entries = jobs.map(({ jobId }) => plan(jobId, 1));
    await Promise.all([...entries, ...entries].map((entry) => run(entry)));
    await runAll(shop);
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
    assert.equal((await itemsOf(shop)).length, 3);
  });

  it('is split when it has ended the process in which it ran by itself: each of its jobs is then suspect', async () => {
    const jobs = await accept([one('upsert', 'a'), one('upsert', 'b'), one('upsert', 'c')]);
    const batch = first(jobs);
    assert.ok(batch.queue === 'plan-batch');
    const left: OutboxEntry[] = [];
    const services = { ...world.services, producer: unheard(world.services.producer, left) };
    const end = () =>
      handlers.planBatch.failed(services, batch.payload, new Error('it ended'), { kind: 'death', how: 'SIGKILL' });
    await end();
    assert.deepEqual(left, [suspect(jobs[0]?.jobId, 1)]);
    assert.deepEqual(await run(suspectBatch(batch)), [suspect(jobs[0]?.jobId, 1)], 'whoever enqueues it');
    assert.deepEqual(await run(suspect(jobs[0]?.jobId, 1)), [suspect(jobs[1]?.jobId, 2)]);
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'SCHEDULED', 'SCHEDULED']);
    assert.deepEqual(await run(suspect(jobs[1]?.jobId, 2)), [suspect(jobs[2]?.jobId, 2)]);
    await run(suspect(jobs[2]?.jobId, 2));
    assert.deepEqual(await statuses(jobs), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
    await assert.rejects(end(), /had no small jobs/);
    const ends = await world.db('job').where({ site_id: shop.siteId, kind: 'item' }).pluck('completed_at');
    assert.equal(new Set(ends.map((at) => at.getTime())).size, 3, 'each in a transaction of its own');
  });

  it('is done again as a whole when its worker is cut off, wherever that is', async () => {
    const requests = [one('upsert', 'a', 'b'), one('insert', 'b', 'c'), one('upsert', 'c', 'd')];
    const expected = await newShop();
    const uncut = await acceptAll(expected, requests);
    const { messages } = await runDoomed(world.services, [first(uncut)], {
      at: Number.POSITIVE_INFINITY,
      lose: 'unsent',
    });
    const results = await resultsOf(expected, uncut);
    for (let at = 1; at <= messages; at += stride) {
      await emptied(shop);
      const jobs = await acceptAll(shop, requests);
      await runDoomed(world.services, [first(jobs)], {
        at,
        lose: ((at - 1) / stride) % 2 === 0 ? 'unsent' : 'unanswered',
      });
      await until('its transaction is undone', async () => (await doomedConnections()) === 0, 10_000);
      await runAll(shop);
      assert.deepEqual(await resultsOf(shop, jobs), results, `cut at message ${at}`);
      assert.deepEqual(await itemsOf(shop), await itemsOf(expected), `cut at message ${at}`);
      await addsUp(shop, `cut at message ${at}`);
    }
  });

  describe('of several sites', () => {
    let shops: Shop[];
    beforeEach(async () => {
      shops = [shop, await newShop(), await newShop()];
    });

    it('is one transaction, and gives each job the result that it has when it is executed by itself', async () => {
      const alone = await newShop();
      for (let seed = 1; seed <= Math.ceil(seeds / 2); seed++) {
        for (const site of shops) await emptied(site);
        const requests = shops.map((_, nth) => randomRequests(100 * nth + seed));
        const jobs: Accepted[][] = [];
        for (const [nth, site] of shops.entries()) jobs.push(await acceptAll(site, requests[nth] ?? []));
        await runEntries(await run(allOf(jobs)));
        for (const site of shops) await runAll(site);
        for (const [nth, site] of shops.entries()) {
          await emptied(alone);
          const expected = await acceptAll(alone, requests[nth] ?? []);
          await world.db('job_order').where({ site_id: alone.siteId }).update({ batchable: false });
          await runAll(alone);
          const which = `seed ${seed}, site ${nth}`;
          assert.deepEqual(await resultsOf(site, jobs[nth]), await resultsOf(alone, expected), which);
          assert.deepEqual(await itemsOf(site), await itemsOf(alone), which);
          await addsUp(site, which);
        }
      }
    });

    it('ends all of them at the same moment', async () => {
      const jobs = await acceptIn(shops, [one('insert', 'a'), one('insert', 'b')]);
      assert.deepEqual(await run(allOf(jobs)), []);
      const ids = jobs.flat().map(({ jobId }) => jobId);
      const ends = await world.db('job').whereIn('id', ids).pluck('completed_at');
      assert.equal(new Set(ends.map((at) => at.getTime())).size, 1);
      for (const site of shops) assert.equal((await itemsOf(site)).length, 2);
    });

    it('fails no job of another site than the one that fails', async () => {
      const failing = await accept([one('upsert', 'a'), one('upsert', `${FAULT.fail}1`), one('upsert', 'c')]);
      const others = await acceptIn(shops.slice(1), [one('upsert', 'a'), one('upsert', 'a', 'b')]);
      const left = await run(allOf([failing, ...others]));
      assert.deepEqual(left, [plan(failing[1]?.jobId, 2)]);
      assert.deepEqual(await statuses(failing), ['COMPLETED', 'SCHEDULED', 'SCHEDULED']);
      assert.deepEqual(await statuses(others.flat()), ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
    });

    it('is executed one site after another when a worker ended during it, and only the site is split that ends its process', async () => {
      const jobs = await acceptIn(shops, [one('upsert', 'a'), one('upsert', 'b')]);
      const batch = allOf(jobs);
      assert.ok(batch.queue === 'plan-batch');
      const [own, ...others] = [...shops].sort((a, b) => a.siteId - b.siteId).map((site) => jobs[shops.indexOf(site)]);
      const left: OutboxEntry[] = [];
      const services = { ...world.services, producer: unheard(world.services.producer, left) };
      const death = { kind: 'death', how: 'SIGKILL' } as const;
      await handlers.planBatch.failed(services, batch.payload, new Error('it ended'), death);
      assert.deepEqual(left, [suspect(own?.[0]?.jobId, 1)]);
      await run(suspectBatch(batch));
      assert.deepEqual(await statuses(others.flatMap((of) => of ?? [])), Array(4).fill('COMPLETED'));
      const ends = await world
        .db('job')
        .where({ status: 'COMPLETED' })
        .whereIn(
          'id',
          others.flatMap((of) => of?.map(({ jobId }) => jobId) ?? []),
        )
        .pluck('completed_at');
      assert.equal(new Set(ends.map((at) => at.getTime())).size, 2, 'a transaction for each site');
      assert.deepEqual(await statuses(own ?? []), ['SCHEDULED', 'SCHEDULED']);
    });

    it('fails only the row that the database refuses', async () => {
      const refused = await accept([one('insert', `${FAULT.refuse}1`, 'b')]);
      const others = await acceptIn(shops.slice(1), [one('insert', 'a')]);
      await run(allOf([refused, ...others]));
      assert.deepEqual(await statuses(refused), ['COMPLETED_PARTIALLY']);
      assert.deepEqual(await statuses(others.flat()), ['COMPLETED', 'COMPLETED']);
    });

    it('holds its sites for less than a second, however many of its jobs wait for locks of other transactions', async () => {
      const gate = await shutGate(world.services.config.databaseUrl);
      try {
        const jobs = await acceptIn(shops, [one('insert', `${FAULT.wait}1`)]);
        const [tried, second, third] = jobs.flat().map(({ jobId }) => jobId);
        const left = await run(allOf(jobs));
        // The joint attempt has waited, then the first job by itself. There is no time for another wait.
        const steps = [second, third].map((jobId = '') => ({ jobId, dispatch: 2 }));
        assert.deepEqual(left, [plan(tried, 2), { queue: 'plan-batch', payload: { steps } }]);
        await gate.open();
        await runEntries(left);
        assert.deepEqual(new Set(await statuses(jobs.flat())), new Set(['COMPLETED']));
      } finally {
        await gate.open();
      }
    });

    it('keeps the jobs of a site apart for a while after one of them has failed', async () => {
      const worker = { ...world.services, producer: unheard(world.services.producer, []) };
      const runIn = ({ queue, payload }: OutboxEntry) => {
        assert.ok(queue === 'plan-batch');
        return handlers.planBatch.run(worker, payload, new AbortController().signal);
      };
      const failing = await accept([one('insert', `${FAULT.fail}1`)]);
      await runIn(allOf([failing, ...(await acceptIn(shops.slice(1), [one('insert', 'a')]))]));
      const jobs = await acceptIn(shops, [one('insert', 'b')]);
      await runIn(allOf(jobs));
      const [own, ...others] = jobs.flat().map(({ jobId }) => jobId);
      const writer = async (id = '') => (await world.db('job').where({ id }).first(world.db.raw('xmin::text'))).xmin;
      assert.deepEqual(await statuses(jobs.flat()), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
      const writers = await Promise.all(others.map(writer));
      assert.equal(new Set(writers).size, 1, 'one transaction');
      assert.ok(!writers.includes(await writer(own)), 'another transaction');
    });

    it('has room for a limited number of rows, and enqueues the jobs of other sites again under new tokens', async () => {
      const many = Array.from({ length: 10 }, (_, job) => {
        return one('insert', ...Array.from({ length: 100 }, (_, row) => `${job}-${row}`));
      });
      const jobs = await acceptIn(shops, many);
      const left = await run(allOf(jobs));
      const last = jobs[2]?.[0]?.jobId;
      assert.deepEqual(left, [together(last, 2)]);
      assert.deepEqual(new Set(await statuses(jobs.slice(0, 2).flat())), new Set(['COMPLETED']));
      await runEntries(left);
      assert.deepEqual(new Set(await statuses(jobs.flat())), new Set(['COMPLETED']));
    });

    it('leaves out a site at which another transaction is working', async () => {
      const jobs = await acceptIn(shops, [one('upsert', 'a')]);
      const other = await world.db.transaction();
      try {
        await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.begin, shop.siteId]);
        const again = await run(allOf(jobs));
        assert.deepEqual(again, [together(jobs[0]?.[0]?.jobId, 2)], 'it is enqueued again');
        assert.deepEqual(await statuses(jobs.flat()), ['SCHEDULED', 'COMPLETED', 'COMPLETED']);
        await other.commit();
        await runEntries(again);
        assert.deepEqual(await statuses(jobs.flat()), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
      } finally {
        if (!other.isCompleted()) await other.rollback();
      }
    });

    it('is done again as a whole when its worker is cut off, wherever that is', async () => {
      const requests = [one('upsert', 'a', 'b'), one('upsert', 'b', 'c')];
      const uncut = await acceptIn(shops, requests);
      const whole = { at: Number.POSITIVE_INFINITY, lose: 'unsent' } as const;
      const { messages } = await runDoomed(world.services, [allOf(uncut)], whole);
      const items = await itemsOf(shop);
      const results = await resultsOf(shop, uncut[0]);
      for (let at = 1; at <= messages; at += stride) {
        for (const site of shops) await emptied(site);
        const jobs = await acceptIn(shops, requests);
        await runDoomed(world.services, [allOf(jobs)], {
          at,
          lose: ((at - 1) / stride) % 2 === 0 ? 'unsent' : 'unanswered',
        });
        await until('its transaction is undone', async () => (await doomedConnections()) === 0, 10_000);
        for (const [nth, site] of shops.entries()) {
          await runAll(site);
          assert.deepEqual(await resultsOf(site, jobs[nth]), results, `cut at message ${at}`);
          assert.deepEqual(await itemsOf(site), items, `cut at message ${at}`);
          await addsUp(site, `cut at message ${at}`);
        }
      }
    });
  });

  async function acceptIn(sites: readonly Shop[], requests: readonly Request[]): Promise<Accepted[][]> {
    const jobs: Accepted[][] = [];
    for (const site of sites) jobs.push(await acceptAll(site, requests));
    return jobs;
  }

  async function newShop(): Promise<Shop> {
    return (await world.newShop()).define({
      attributes: ['Title', { name: 'Brand', type: 'TEXT', validation: { inheritable: true } }],
      // The status of variants depends on their parents.
      categories: { Disk: ['Title', 'Brand!'] },
    });
  }

  /** Makes the site one that no job has written items to. */
  async function emptied({ siteId }: Shop): Promise<void> {
    for (const table of ['item', 'item_change', 'change_set'])
      await world.db(table).where({ site_id: siteId }).delete();
  }

  /** Asserts that the changes that are logged of a site are all that its jobs have changed. */
  async function addsUp({ siteId }: Shop, which: string): Promise<void> {
    await assertChangesAddUp(world.db, siteId).catch((error) => {
      throw new Error(`${which}: ${error.message}`, { cause: error });
    });
  }

  function accept(requests: readonly Request[]): Promise<Accepted[]> {
    return acceptAll(shop, requests);
  }

  async function acceptAll(site: Shop, requests: readonly Request[]): Promise<Accepted[]> {
    const jobs: Accepted[] = [];
    for (const { mode, rows } of requests) jobs.push(await world.acceptRows(site, mode, rows));
    return jobs;
  }

  /** Runs a step, and those of other queues that follow. @returns the plan steps that are to be enqueued */
  async function run(entry: OutboxEntry): Promise<OutboxEntry[]> {
    const enqueued: OutboxEntry[] = [];
    const services = { ...world.services, producer: unheard(world.services.producer, enqueued) };
    const { signal } = new AbortController();
    if (entry.queue === 'plan-batch') await handlers.planBatch.run(services, entry.payload, signal);
    else if (entry.queue === 'plan') await handlers.planJob.run(services, entry.payload, signal);
    else assert.fail(`a step of the queue ${entry.queue} is not run here`);
    return enqueued;
  }

  async function runEntries(entries: readonly OutboxEntry[]): Promise<void> {
    const ahead = [...entries];
    for (let entry = ahead.shift(); entry !== undefined; entry = ahead.shift()) ahead.push(...(await run(entry)));
  }

  /** Runs what is on the queue, and all that follows. */
  async function runAll(site: Shop): Promise<void> {
    const waiting = await world
      .db('job_order')
      .where({ site_id: site.siteId, state: 'q' })
      .orderBy('position')
      .select('job_id', 'dispatch');
    await runEntries(waiting.map(({ job_id: id, dispatch }) => plan(id, dispatch)));
    await runEntries(await releaseDue(world.db, [site.siteId]));
  }

  async function statuses(jobs: readonly Accepted[]): Promise<string[]> {
    const found = await Promise.all(
      jobs.map(({ jobId }) => world.db('job').where({ id: jobId }).first('status', 'line_no')),
    );
    return found.map(({ status }) => status);
  }

  async function doomedConnections(): Promise<number> {
    const { rows } = await world.db.raw(
      `SELECT count(*)::integer AS count FROM ${OWN_SESSIONS} WHERE application_name = ?`,
      [DOOMED],
    );
    return rows[0].count;
  }

  /** A site's items, without the ids that differ from site to site. */
  async function itemsOf(site: Shop): Promise<unknown[]> {
    const { rows } = await world.db.raw(
      `SELECT sku, status, parent_sku, array(SELECT value FROM jsonb_each(attributes) ORDER BY value) AS values
       FROM item WHERE site_id = ? ORDER BY sku`,
      [site.siteId],
    );
    return rows;
  }

  /** What clients see of jobs. */
  async function resultsOf(site: Shop, jobs: readonly Accepted[] = []): Promise<unknown[]> {
    const outcomes = [];
    for (const { jobId } of jobs) {
      const { id: _, ...outcome } = await site.outcome(jobId);
      outcomes.push({
        ...outcome,
        chunk: await world.db('job_chunk').where({ job_id: jobId }).first('outcomes', 'status'),
      });
    }
    assert.deepEqual(await world.db('job_order').where({ site_id: site.siteId }).whereNot({ state: 'e' }), []);
    return outcomes;
  }
}

function first(jobs: readonly Accepted[]): OutboxEntry {
  const entry = jobs[0]?.outboxEntries[0];
  assert.ok(entry !== undefined);
  return entry;
}

function plan(jobId: string | undefined, dispatch: number): OutboxEntry {
  assert.ok(jobId !== undefined);
  return { queue: 'plan', payload: { jobId, dispatch } };
}

/** The plan step of a job that may have ended a process. */
function suspect(jobId: string | undefined, dispatch: number): OutboxEntry {
  assert.ok(jobId !== undefined);
  return { queue: 'plan', payload: { jobId, dispatch, suspect: true } };
}

/** A batch whose worker was lost. */
function suspectBatch(entry: OutboxEntry): OutboxEntry {
  assert.ok(entry.queue === 'plan-batch');
  return { ...entry, payload: { ...entry.payload, suspect: true } };
}

/** One queue job with the first steps of all these jobs, by site. */
function allOf(jobs: readonly (readonly Accepted[])[]): OutboxEntry {
  const steps = jobs
    .flat()
    .flatMap(({ outboxEntries }) =>
      outboxEntries.flatMap(({ queue, payload }) => (queue === 'plan-batch' ? payload.steps : [])),
    );
  return { queue: 'plan-batch', payload: { steps } };
}

/** The plan step of a job that may be executed together with others. */
function together(jobId: string | undefined, dispatch: number): OutboxEntry {
  assert.ok(jobId !== undefined);
  return { queue: 'plan-batch', payload: { steps: [{ jobId, dispatch }] } };
}

function one(mode: Mode, ...skus: readonly string[]): Request {
  return { mode, rows: (skus.length === 0 ? ['a'] : skus).map((sku) => item(sku)) };
}

function item(sku: string, title = 'T') {
  return { sku, nodeName: 'Disk', attributes: { Title: title } };
}

/**
 * Jobs over few SKUs, so that they meet: valid rows, rows that fail, and variants of items that may come later. Half of the
 * seeds begin with items and their variants, and change the items, whose variants then have another status.
 */
function randomRequests(seed: number): Request[] {
  const random = seededRandom(seed);
  const skus = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const row = () => {
    const sku = pick(random, skus);
    const kind = random();
    if (kind < 0.1) return { sku, nodeName: 'Nowhere', attributes: {} };
    if (kind < 0.15) return { nodeName: 'Disk' };
    if (kind < 0.3) return { ...item(sku), parentSku: pick(random, skus) };
    return item(sku, `T${Math.floor(random() * 3)}`);
  };
  if (seed % 2 === 0) return [withVariants(skus), ...Array.from({ length: 6 }, () => rebranding(random, skus))];
  return Array.from({ length: 2 + Math.floor(random() * 6) }, () => ({
    mode: pick(random, ['insert', 'insert', 'upsert', 'update'] as const),
    rows: Array.from({ length: 1 + Math.floor(random() * 5) }, row),
  }));
}

function withVariants(skus: readonly string[]): Request {
  const variants = skus.map((parentSku) => ({ ...item(`${parentSku}-1`), parentSku }));
  return { mode: 'insert', rows: [...skus.map((sku) => branded(sku, 'B')), ...variants] };
}

function rebranding(random: () => number, skus: readonly string[]): Request {
  const some = skus.filter(() => random() < 0.25);
  return {
    mode: 'update',
    rows: (some.length === 0 ? ['a'] : some).map((sku) => branded(sku, pick(random, ['B', null]))),
  };
}

/** An item whose status, and that of its variants, depends on a value. */
function branded(sku: string, Brand: string | null) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T', Brand } };
}
