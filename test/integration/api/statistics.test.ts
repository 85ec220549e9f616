/** What has become of jobs, rows and deliveries by day. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('statistics', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { A: ['Title', 'Price'] },
    });
    // Only what follows is counted.
    await world.db('job').where({ account_id: shop.account }).update({ created_at: '2026-01-01T00:00:00Z' });
  });
  after(() => world.stop());

  const item = (sku: string, price: unknown) => ({ sku, nodeName: 'A', attributes: { Title: sku, Price: price } });

  it('of jobs sum up their rows by day, and their errors with the newest job that has them', async () => {
    await shop.bulk('insert', [item('a', 1), item('b', 2), item('c', 'x')]);
    await shop.bulk('upsert', [item('a', 1), item('b', 3), item('c', 'y'), item('d', 'z')]);
    await shop.bulk('upsert', [item('a', 100), item('e', 5)], { query: '?validateOnly=true' });
    const { status, body } = await shop.get('/jobs/statistics?days=1');
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.days.length, 1);
    const { day, ...sums } = body.days[0];
    const errors = [{ code: 'VALUE_TYPE', rows: 3 }];
    assert.match(day, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(sums, { jobs: 2, failedJobs: 0, created: 2, updated: 1, unchanged: 1, failed: 3, errors });
    assert.deepEqual(body.statuses, { COMPLETED_PARTIALLY: 2 });
    const newest = (await shop.get('/jobs/product?status=COMPLETED_PARTIALLY&limit=1')).body.data[0].id;
    const [{ example, ...error }, ...others] = body.errors;
    assert.deepEqual(others, []);
    assert.match(example, /"y"/);
    assert.deepEqual(error, { code: 'VALUE_TYPE', path: 'Price', rows: 3, jobs: 2, jobId: newest });
  });

  it('of jobs leave what waits for an approval out of what was written, but count the job', async () => {
    await shop.bulk('insert', [item('w', 1)], { query: '?requireApproval=true' });
    const { body } = await shop.get('/jobs/statistics');
    assert.deepEqual(body.statuses, { AWAITING_APPROVAL: 1 });
    assert.equal(body.days[0].created, 0);
  });

  it('of jobs count errors by code and day: the most frequent ones, and all others together', async () => {
    const errorsOf = (counts: Readonly<Record<string, number>>) =>
      JSON.stringify(
        Object.entries(counts).map(([code, count]) => ({ code, path: null, count, rows: '1', example: code })),
      );
    const add = async (ago: number, counts: Readonly<Record<string, number>>, over: object = {}) => {
      const { body } = await shop.call('POST', '/api-product/v1/product/bulk/insert', { body: [item('n', 1)] });
      await shop.call('GET', `/jobs/${body.jobId}`, { headers: { prefer: 'wait=20' } });
      await world
        .db('job')
        .where({ id: body.jobId })
        .update({
          ...{ error_count: 100, error_summary: errorsOf(counts), status: 'COMPLETED_PARTIALLY' },
          created_at: world.db.raw("date_trunc('day', now()) + interval '1 minute' - ? * interval '1 day'", [ago]),
          ...over,
        });
    };
    await add(2, { A: 10, B: 1, X: 2 });
    await add(2, { A: 5 });
    await add(1, { C: 7, D: 6, E: 5, F: 1, G: 1 });
    await add(0, { A: 1 });
    await add(0, { A: 90 }, { options: JSON.stringify({ validateOnly: true }) });
    await add(0, { A: 90 }, { status: 'AWAITING_APPROVAL' });
    const { body } = await shop.get('/jobs/statistics?days=3');
    assert.deepEqual(
      body.days.map(({ errors }: { errors: unknown }) => errors),
      [
        [
          { code: 'A', rows: 15 },
          { code: 'X', rows: 2 },
          { code: null, rows: 1 },
        ],
        [
          { code: 'C', rows: 7 },
          { code: 'D', rows: 6 },
          { code: 'E', rows: 5 },
          { code: null, rows: 2 },
        ],
        [{ code: 'A', rows: 1 }],
      ],
    );
  });

  it('begin days in the time zone that is asked for', async () => {
    await shop.bulk('insert', [item('z', 1)]);
    await world
      .db('job')
      .where({ account_id: shop.account })
      .where('created_at', '>', '2026-02-01')
      .update({ created_at: world.db.raw("date_trunc('day', now()) - interval '30 minutes'") });
    const { rows } = await world.db.raw(
      "SELECT to_char(now(), 'YYYY-MM-DD') AS today, to_char(now() - interval '1 day', 'YYYY-MM-DD') AS yesterday",
    );
    const dayIn = async (timeZone: string) =>
      (await shop.get(`/jobs/statistics?days=3&timeZone=${timeZone}`)).body.days[0].day;
    assert.equal(await dayIn('UTC'), rows[0].yesterday);
    assert.equal(await dayIn('Europe/Berlin'), rows[0].today);
  });

  for (const timeZone of ['Europe/Berlln', 'UTC+3', "UTC'", '%2B01:00', '']) {
    it(`refuse the time zone "${timeZone}", and say what one is`, async () => {
      const { status, body } = await shop.get(`/jobs/statistics?timeZone=${encodeURIComponent(timeZone)}`);
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), /timeZone.*Europe\/Berlin/);
    });
  }

  it('of deliveries count events and what has become of them', async () => {
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({}) });
    for (let n = 0; n < 3; n++) {
      const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { n } };
      await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } });
    }
    const outcomes = ['DELIVERED', 'DEAD', 'PENDING'];
    const deliveries = await world
      .db('delivery')
      .join('event', 'event.id', 'delivery.event_id')
      .where({ account_id: shop.account })
      .select('delivery.id');
    assert.equal(deliveries.length, 3);
    for (const [nth, { id }] of deliveries.entries()) {
      await world.db('delivery').where({ id }).update({ status: outcomes[nth], next_attempt_at: null });
    }
    const { body } = await shop.get('/api/v2/webhook/statistics?days=1');
    const { day: _, ...sums } = body.days[0];
    assert.deepEqual(sums, { events: 3, delivered: 1, pending: 1, failed: 1 });
  });
});
