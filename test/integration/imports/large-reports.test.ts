/** Who waits for a job with more errors than one answer should hold is told where they are. */
import assert from 'node:assert/strict';
import { startWorld, type World } from '../../support/worlds/world.js';

const ROWS = 205;
const PROBLEMS = 100;

describe('a bulk request whose report is large', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());

  const rows = (count: number) =>
    Array.from({ length: count }, (_, row) => ({
      sku: `S-${row}`,
      attributes: Object.fromEntries(Array.from({ length: PROBLEMS }, (_, index) => [`unknown ${index}`, 1])),
    }));

  it('is answered 202 with the address of its errors', async () => {
    const shop = await world.newShop();
    const { status, headers, body, bytes } = await shop.bulk('insert', rows(ROWS));
    assert.equal(status, 202, JSON.stringify(body).slice(0, 500));
    assert.ok(bytes.length < 1000);
    assert.deepEqual([body.status, body.errors], ['COMPLETED_PARTIALLY', `/jobs/${body.jobId}/errors`]);
    assert.equal(headers.get('location'), `/jobs/${body.jobId}`);
    const page = await shop.ask('GET', `${body.errors}?limit=1000`);
    assert.equal(page.data.length, 1000);
    assert.equal((await shop.result(body.jobId, 'limit=10')).failed.length, 10);
  });

  it('is answered whole where it is not that large', async () => {
    const shop = await world.newShop();
    const { status, body } = await shop.bulk('insert', rows(60));
    assert.equal(status, 422);
    assert.ok(body.errors.length >= 60 * (PROBLEMS - 1));
  });
});
