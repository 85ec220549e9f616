/** A comparison has no place in the order of its stage: neither waits for the other. */
import assert from 'node:assert/strict';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { prefer: 'wait=25' };
const BULK = '/api-product/v1/product/attribute/bulk';

describe('a comparison of stages', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  it('does not hold up an import that was accepted after it, nor waits for one that was accepted before it', async () => {
    const shop = await world.newShop();
    await resolveSite(world.db, shop.account, 'staging');
    const compare = async () => (await shop.post('/jobs/site/actions/compare', { with: 'staging' })).body.jobId;
    const first = await compare();
    const bulk = await world.startWorkers({}, ['bulk']);
    const imported = await shop.call('POST', BULK, { body: [{ name: 'Title', type: 'TEXT' }], headers: WAIT });
    assert.equal(imported.status, 200, JSON.stringify(imported.body));
    assert.equal((await shop.ask('GET', `/jobs/${first}`)).status, 'SCHEDULED');
    await bulk.stop();
    const waiting = await shop.post(BULK, [{ name: 'Price', type: 'DECIMAL' }]);
    assert.equal(waiting.status, 202, JSON.stringify(waiting.body));
    const second = await compare();
    await world.startWorkers({}, ['export']);
    for (const id of [first, second]) {
      const { status } = await shop.ask('GET', `/jobs/${id}`, { headers: WAIT });
      assert.equal(status, 'COMPLETED');
    }
    const { status } = await shop.ask('GET', `/jobs/${waiting.body.jobId}`);
    assert.equal(status, 'SCHEDULED');
  });
});
