/** The line of a site: who goes before whom, who beside whom, and how soon the next is taken up. */
import assert from 'node:assert/strict';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { FAULT, type Gate, installFaults, shutGate } from '../../support/faults/faults.js';
import { places, type Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { placeOf } from '../../support/worlds/place-of.js';
import { type Accepted, BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

/** Far less than the reconciler's minute: who is taken up so soon was told. */
const PROMPTLY_MS = 15_000;

describe('the line of a site', function () {
  this.timeout(30_000);

  let world: World;
  let shop: Shop;
  let gate: Gate | undefined;
  before(async () => {
    world = await startWorld();
    await installFaults(world.db);
    await world.startWorkers({}, BULK_ONLY);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await newShop();
  });
  afterEach(async () => {
    await gate?.open();
    gate = undefined;
  });

  it('takes upserts one after another, in the order of acceptance and not of the queue', async () => {
    const first = await world.acceptRows(shop, 'upsert', [item('a', 'first')]);
    const second = await world.acceptRows(shop, 'upsert', [item('a', 'second')]);
    await send(second);
    await held(second);
    await send(first);
    assert.deepEqual(await statuses(first, second), ['COMPLETED', 'COMPLETED']);
    assert.deepEqual(await shop.values('Title'), { a: 'second' });
  });

  it('takes an update after the insert that it was accepted after', async () => {
    const insert = await world.acceptFile(shop, 'new.csv', csv(['a', 'b', 'c', 'd']), 'insert');
    const update = await world.acceptRows(shop, 'update', [item('d', 'changed')]);
    await send(update);
    await held(update);
    await send(insert);
    assert.deepEqual(await statuses(insert, update), ['COMPLETED', 'COMPLETED']);
    assert.equal((await shop.item('d'))?.attributes.Title, 'changed');
  });

  it('takes attribute jobs before the item jobs accepted after them', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const before = await world.acceptRows(shop, 'insert', [item('a', 'x', 'violet'), item(`${FAULT.wait}1`)]);
    await send(before);
    await gate.reached();
    const { jobId } = (await attributeJob(['red', 'violet'])).body;
    const after = await world.acceptRows(shop, 'insert', [item('b', 'x', 'violet')]);
    await send(after);
    await gate.open();
    assert.deepEqual(await statuses(before, { jobId }, after), ['COMPLETED_PARTIALLY', 'COMPLETED', 'COMPLETED']);
    assert.deepEqual(places({ errors: await shop.errors(before.jobId) }), [[1, 'Colour', 'VALUE_NOT_IN_OPTIONS']]);
  });

  it('lets inserts run side by side', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const [slow, file] = await Promise.all([
      world.acceptRows(shop, 'insert', [item(`${FAULT.wait}1`)]),
      world.acceptFile(shop, 'slow.csv', csv([`${FAULT.wait}2`]), 'insert'),
    ]);
    await send(slow, file);
    await gate.reached(2);
    const quick = await world.acceptRows(shop, 'insert', [item('q')]);
    await send(quick);
    assert.deepEqual(await statuses(quick), ['COMPLETED']);
    assert.equal((await jobOf(slow)).completed_at, null);
    await gate.open();
    assert.deepEqual(await statuses(slow, file), ['COMPLETED', 'COMPLETED']);
  });

  it('lets four inserts of a site run at a time, and the next when one of them ends', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const jobs: Accepted[] = [];
    for (let job = 0; job < 7; job++) jobs.push(await world.acceptRows(shop, 'insert', [item(`${FAULT.wait}${job}`)]));
    await send(...jobs.toReversed());
    await gate.reached(4);
    for (const job of jobs.slice(4)) await held(job);
    const other = await newShop();
    assert.equal((await other.bulk('insert', [item('q')])).status, 200);
    await gate.open();
    assert.deepEqual(new Set(await statuses(...jobs)), new Set(['COMPLETED']));
  });

  it('does not make two sites wait for each other', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const slow = await world.acceptRows(shop, 'upsert', [item(`${FAULT.wait}1`)]);
    await send(slow);
    await gate.reached();
    const other = await newShop();
    const quick = await world.acceptRows(other, 'upsert', [item('q')]);
    await send(quick);
    assert.equal((await other.outcome(quick.jobId)).status, 'COMPLETED');
    assert.equal((await jobOf(slow)).completed_at, null);
  });

  it('does not fill the workers with jobs that wait for one of their site', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const slow = await world.acceptRows(shop, 'upsert', [item(`${FAULT.wait}1`)]);
    await send(slow);
    await gate.reached();
    const behind: Accepted[] = [];
    for (let job = 0; job < 12; job++) behind.push(await world.acceptRows(shop, 'insert', [item(`b${job}`)]));
    await send(...behind);
    const other = await newShop();
    const quick = await world.acceptRows(other, 'insert', [item('q')]);
    await send(quick);
    assert.equal((await other.outcome(quick.jobId)).status, 'COMPLETED');
    assert.equal((await jobOf(slow)).completed_at, null);
    await gate.open();
    assert.deepEqual(new Set(await statuses(...behind)), new Set(['COMPLETED']));
  });

  it('takes up the next at once when the one before ends', async () => {
    gate = await shutGate(world.services.config.databaseUrl);
    const slow = await world.acceptFile(shop, 'slow.csv', csv(['a', `${FAULT.wait}1`]));
    const next = [
      await world.acceptRows(shop, 'upsert', [item('b')]),
      await world.acceptFile(shop, 'next.csv', csv(['c'])),
      await world.acceptRows(shop, 'upsert', [item('d')]),
    ];
    await send(slow, ...next);
    await gate.reached();
    for (const one of next) await held(one);
    const openedAt = Date.now();
    await gate.open();
    assert.deepEqual(await statuses(...next), ['COMPLETED', 'COMPLETED', 'COMPLETED']);
    assert.ok(Date.now() - openedAt < PROMPTLY_MS);
  });

  for (const [how, leave] of Object.entries({
    'is cancelled': async (job: Accepted) => {
      await shop.ask('POST', `/jobs/${job.jobId}/actions/cancel`);
    },
    'is given up': async (job: Accepted) => {
      await world.db('job').where({ id: job.jobId }).update({ attempts: 7 });
      await send(job);
    },
  })) {
    it(`goes on when a job that has not begun ${how}`, async () => {
      const leaving = await world.acceptRows(shop, 'upsert', [item(`${FAULT.fail}1`)]);
      const next = await world.acceptRows(shop, 'upsert', [item('b')]);
      await send(next);
      await held(next);
      const leftAt = Date.now();
      await leave(leaving);
      assert.deepEqual(await statuses(next), ['COMPLETED']);
      assert.ok(Date.now() - leftAt < PROMPTLY_MS);
    });
  }

  it('goes on when a file is rejected', async () => {
    const wrong = await world.acceptFile(shop, 'wrong.csv', 'Titel\nx\n');
    const next = await world.acceptRows(shop, 'upsert', [item('b')]);
    await send(next);
    await held(next);
    await send(wrong);
    assert.deepEqual(await statuses(wrong, next), ['REJECTED', 'COMPLETED']);
  });

  it('has no place for a file that is not uploaded yet', async () => {
    const body = { fileName: 'late.csv', fileType: 'ITEM_IMPORT' };
    const late = await shop.ask('POST', '/files/product', { body });
    const next = await world.acceptRows(shop, 'upsert', [item('b')]);
    await send(next);
    assert.deepEqual(await statuses(next), ['COMPLETED']);
    assert.equal((await jobOf(late)).status, 'AWAITING_UPLOAD');
  });

  it('does not ask an insert again and again that has to wait for another because of a unique attribute', async () => {
    await shop.define({ attributes: [{ name: 'Barcode', type: 'TEXT', validation: { unique: true } }] });
    gate = await shutGate(world.services.config.databaseUrl);
    const first = await world.acceptRows(shop, 'insert', [item(`${FAULT.wait}1`)]);
    await send(first);
    await gate.reached();
    const second = await world.acceptRows(shop, 'insert', [item('b')]);
    await send(second);
    await held(second);
    const other = await newShop();
    await other.bulk('upsert', [item('a')]);
    assert.ok((await jobOf(second)).dispatch <= 2, 'it is asked once, and waits');
    await gate.open();
    assert.deepEqual(await statuses(first, second), ['COMPLETED', 'COMPLETED']);
  });

  async function newShop(): Promise<Shop> {
    const made = await world.newShop();
    return made.define({
      attributes: ['Title', { name: 'Colour', type: 'OPTIONS', options: ['red'] }],
      categories: { Disk: ['Title', 'Colour'] },
    });
  }

  function attributeJob(options: string[]) {
    const body = [{ action: 'UPDATE', name: 'Colour', type: 'OPTIONS', options }];
    return shop.call('POST', '/api-product/v1/product/attribute/bulk', { body });
  }

  const send = (...jobs: Accepted[]) =>
    enqueueEntries(
      world.services.producer,
      jobs.flatMap(({ outboxEntries }) => outboxEntries),
      world.services.logger,
    );

  const jobOf = ({ jobId }: { jobId: string }) => world.db('job').where({ id: jobId }).first();

  const held = (job: Accepted) =>
    until('the job is held', async () => (await placeOf(world.db, job.jobId)).state === 'h', PROMPTLY_MS);

  async function statuses(...jobs: { jobId: string }[]): Promise<string[]> {
    const all: string[] = [];
    for (const { jobId } of jobs) all.push((await shop.outcome(jobId)).status);
    return all;
  }
});

function item(sku: string, title = 'T', colour = 'red') {
  return { sku, nodeName: 'Disk', attributes: { Title: title, Colour: colour } };
}

function csv(skus: readonly string[]): string {
  return `SKU,Category Node,Title\n${skus.map((sku) => `${sku},Disk,T\n`).join('')}`;
}
