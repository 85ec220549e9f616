/** What the owner of an endpoint that fails sees of it, and that deliveries need not wait once it is repaired. */
import assert from 'node:assert/strict';
import { answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

/** Longer than any test waits: without help, nothing is attempted again. */
const HOUR = '3600';

describe('an endpoint that fails', function () {
  this.timeout(60_000);
  let world: DeliveryWorld;
  let receiver: Receiver;
  let isRepaired = false;
  before(async () => {
    world = await DeliveryWorld.start({
      environment: { WEBHOOK_SCHEDULE_SECONDS: `0,${HOUR},${HOUR}`, WEBHOOK_BREAKER_SECONDS: HOUR },
    });
    await world.jobs.startWorkers({}, ['webhook']);
  });
  beforeEach(async () => {
    isRepaired = false;
    receiver = await startReceiver((...given) => answerWith(isRepaired ? 204 : 500)(...given));
  });
  afterEach(async () => {
    await world.forgetDefinitions();
    await receiver.stop();
  });
  after(() => world.stop());

  /** Emits events until the breaker is open, and one more, which it keeps back. */
  async function failing(id: string): Promise<string[]> {
    const events = await world.emit([{}, {}, {}, {}, {}]);
    await until('the breaker is open', async () => (await world.healthOf(id)).open_until !== null, 30_000);
    return [...events, ...(await world.emit())];
  }

  it('is shown with its breaker, its next attempt, its failures, its backlog and its last error', async () => {
    const { id } = await world.hear(receiver.url);
    await failing(id);
    const shop = await world.shop();
    const { health } = await shop.ask('GET', `/api/v2/webhook/${id}`);
    const { nextAttemptAt, failingSince, lastErrorAt, ...rest } = health;
    assert.deepEqual(rest, {
      breaker: 'OPEN',
      failureRate: 1,
      failuresInARow: 5,
      backlog: 6,
      backlogIsLowerBound: false,
      lastError: 'answered 500',
    });
    assert.ok(Date.parse(nextAttemptAt) > Date.now() + 1_800_000, nextAttemptAt);
    assert.ok(Date.parse(failingSince) <= Date.parse(lastErrorAt));
    const [listed] = await shop.ask('GET', '/api/v2/webhook');
    assert.equal(listed.health.backlog, 6);
  });

  it('gets at once what waits for it when its owner resumes it', async () => {
    const { id } = await world.hear(receiver.url);
    const events = await failing(id);
    isRepaired = true;
    const shop = await world.shop();
    const { status, body } = await shop.call('POST', `/api/v2/webhook/${id}/actions/resume`);
    assert.equal(status, 202);
    assert.equal(body.more, false);
    assert.ok(body.deliveries >= 5, JSON.stringify(body));
    for (const eventId of events.slice(0, 5)) assert.equal((await world.ended(eventId)).status, 'DELIVERED');
    await until('the breaker is closed', async () => (await world.healthOf(id)).open_until === null, 30_000);
  });

  it('gets one event at once when its owner retries it, though the breaker is open', async () => {
    const { id } = await world.hear(receiver.url);
    const [eventRequestId = ''] = await failing(id);
    isRepaired = true;
    const shop = await world.shop();
    const body = { eventRequestId, webhookId: id };
    assert.equal((await shop.call('POST', '/api/v2/webhook/retry', { body })).body.deliveries, 1);
    assert.equal((await world.ended(eventRequestId)).status, 'DELIVERED');
  });

  it('cannot be resumed while it is disabled, by another account, or if there is none', async () => {
    const { id } = await world.hear(receiver.url);
    const shop = await world.shop();
    const resume = (webhookId: string, of = shop) => of.call('POST', `/api/v2/webhook/${webhookId}/actions/resume`);
    assert.equal((await resume(id, await world.jobs.newShop())).status, 404);
    assert.equal((await resume('none')).status, 404);
    await shop.ask('POST', `/api/v2/webhook/${id}/actions/disable`);
    assert.equal((await resume(id)).status, 409);
  });
});
