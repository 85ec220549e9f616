import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CATEGORY = '/api-category/v1/category';

describe('the event of a deleted category', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const subscribe = (events: readonly string[], channel?: number): Promise<{ webhookId: string }> =>
    shop.ask('POST', '/api/v2/webhook', {
      body: webhookBody({ source: 'CATALOG', events }),
      ...(channel === undefined ? {} : { context: { channel } }),
    });
  const create = (): Promise<{ id: string; nodeId: number }> =>
    shop.ask('POST', CATEGORY, { body: { name: 'Storage' } });
  const eventsKept = () => world.db('event').where({ site_id: shop.siteId });

  it('names the category and its tree, and is delivered to who subscribes', async () => {
    const { webhookId } = await subscribe(['CATEGORY_DELETED']);
    const { id, nodeId } = await create();
    await shop.ask('DELETE', `${CATEGORY}?id=${id}`);
    const [event, ...others] = await eventsKept();
    assert.deepEqual([event.source, event.event, event.channel, others], ['CATALOG', 'CATEGORY_DELETED', null, []]);
    assert.deepEqual(JSON.parse(event.payload), { id, nodeId, name: 'Storage', type: 'PRIMARY' });
    const deliveries = await world.db('delivery').where({ event_id: event.id });
    assert.deepEqual(
      deliveries.map(({ definition_id, status }) => [definition_id, status]),
      [[webhookId, 'PENDING']],
    );
    const batch = deliveries[0].id.slice(0, 22);
    const queue = world.services.producer.queues().find(({ name }) => name === 'deliver-batch');
    const jobs = await queue?.getJobs(['waiting', 'delayed', 'prioritized']);
    assert.ok(
      jobs?.some(({ data }) => data.batch === batch),
      'the queue has its first attempts',
    );
  });

  it('is not created where nobody subscribes to it, nor when the category stays', async () => {
    await subscribe(['ITEM_DELETED']);
    const { id } = await create();
    await shop.ask('DELETE', `${CATEGORY}?id=${id}`);
    assert.deepEqual(await eventsKept(), []);
    await subscribe(['*']);
    const parent = await create();
    await shop.ask('POST', CATEGORY, { body: { name: 'Boxes', parentId: parent.id } });
    assert.equal((await shop.call('DELETE', `${CATEGORY}?id=${parent.id}`)).status, 400);
    assert.deepEqual(await eventsKept(), []);
  });

  it('is of the channel under which the category is deleted', async () => {
    await subscribe(['*'], 7);
    for (const channel of [8, 7]) {
      const { id } = await create();
      await shop.ask('DELETE', `${CATEGORY}?id=${id}`, { context: { channel } });
    }
    const events = await eventsKept().orderBy('channel');
    assert.deepEqual(
      events.map(({ channel, deliveries }) => [channel, deliveries]),
      [
        [7, 1],
        [8, 0],
      ],
    );
  });
});
