/** The event of the end of an imported archive says what it did besides its items; that its type describes this is checked with every event. */
import assert from 'node:assert/strict';
import { exportStage, importStage, settled } from '../../support/http/stages.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the event of the end of an imported archive', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());

  it('has what it did besides its items, as the job has it', async () => {
    const source = await world.newShop();
    await source.define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
    const { bytes } = await exportStage(source);
    const shop = await world.newShop();
    await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ source: 'CATALOG', events: ['JOB_COMPLETED'] }) });
    await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
    const { id, status } = await importStage(shop, bytes);
    assert.equal(status, 'AWAITING_APPROVAL');
    assert.equal((await shop.call('POST', `/jobs/${id}/actions/approve`, { body: {} })).status, 202);
    const job = await settled(shop, id);
    assert.deepEqual([job.status, job.archive.attributes.created], ['COMPLETED', 1]);
    const events = await world.db('event').where({ site_id: shop.siteId, event: 'JOB_COMPLETED' });
    const payload = events.map((event) => event.payload).find((text) => JSON.parse(text).jobId === id);
    assert.deepEqual(JSON.parse(payload).archive, job.archive);
  });
});
