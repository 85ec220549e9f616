/** What waits on the queue for a definition that its owner disables, enables or deletes. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('what waits for a definition', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    shop = await world.newShop();
  });
  after(() => world.stop());

  const emit = async () => {
    const body = { source: 'OMS', event: 'ORDER_CREATED', payload: {} };
    return (await shop.call('POST', '/api/v2/event', { body, headers: { 'tenant-key': shop.account } })).body
      .deliveries;
  };

  it('is cancelled when it is disabled; enabled, it begins again with one delivery that tries it out', async () => {
    const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    assert.equal(await emit(), 1);
    for (let twice = 0; twice < 2; twice++) {
      const disabled = await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/disable`);
      assert.deepEqual([disabled.status, disabled.disabledReason], ['DISABLED', 'disabled on request']);
    }
    assert.equal((await world.db('delivery').where({ definition_id: webhookId }).first()).status, 'CANCELLED');
    assert.equal(await emit(), 0);
    const enabled = await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/enable`);
    assert.deepEqual([enabled.status, enabled.disabledReason], ['ACTIVE', null]);
    assert.equal(await emit(), 1);
    const health = await world.db('endpoint_health').where({ definition_id: webhookId }).first();
    assert.ok(health.open_until !== null && health.open_until <= new Date());
  });

  it('is cancelled when it is deleted', async () => {
    const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody() });
    await emit();
    await shop.ask('DELETE', `/api/v2/webhook/${webhookId}`);
    const [delivery, ...others] = await world.db('delivery').where({ definition_id: webhookId });
    assert.deepEqual([others.length, delivery.status, delivery.next_attempt_at], [0, 'CANCELLED', null]);
  });
});
