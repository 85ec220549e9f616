/** Endpoints that have only failed, for days: disabled, told of, and tried out when they are enabled again. The failures are real, the days are not. */
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { enableDefinition } from '../../../src/domain/webhooks/definition-states.js';
import { type Answer, answerWith, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld, type Hearing } from '../../support/worlds/delivery-world.js';

const WITHIN_MS = 30_000;
const REASON = 'every delivery has failed for 5 days';
/** Fewer at a time than open a breaker. */
const AT_ONCE = 3;
const FIVE_DAYS = '5 days';

describe('an endpoint that has only failed', function () {
  this.timeout(60_000);
  let world: DeliveryWorld;
  const receivers: Receiver[] = [];
  before(async () => {
    // No second attempt while the test looks, it is deliveries that count; and a probe is held until others are put off.
    const environment = { WEBHOOK_SCHEDULE_SECONDS: '0,600,600', WEBHOOK_TIMEOUT_SECONDS: '30' };
    world = await DeliveryWorld.start({ environment });
    await world.jobs.startWorkers({}, ['webhook']);
  });
  afterEach(async () => {
    await world.forgetDefinitions();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  });
  after(() => world?.stop());

  async function receiving(answer?: Answer): Promise<Receiver> {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  }

  /** Fails that many deliveries, each at its first attempt. @returns their events */
  async function failDeliveries({ id }: Hearing, count: number): Promise<string[]> {
    const failed: string[] = [];
    while (failed.length < count) {
      const events = await world.emit(Array(Math.min(AT_ONCE, count - failed.length)).fill({}));
      for (const eventId of events) await world.attempted(eventId);
      failed.push(...events);
      // The breaker is another matter, and takes minutes.
      await world
        .db('endpoint_health')
        .where({ definition_id: id })
        .update({ failure_streak: 1, window_began_at: null, window_attempts: 0, window_failures: 0 });
    }
    return failed;
  }

  /** As if its failures had begun so long ago. */
  const failingFor = ({ id }: Hearing, interval: string) =>
    world
      .db('endpoint_health')
      .where({ definition_id: id })
      .update({ failing_since: world.db.raw('now() - ?::interval', [interval]) });

  async function assertActive({ id }: Hearing, failedDeliveries: number): Promise<void> {
    const { status, disabled_reason } = await world.definition(id);
    assert.deepEqual([status, disabled_reason], ['ACTIVE', null]);
    assert.equal((await world.healthOf(id)).failed_deliveries, failedDeliveries);
  }

  it('for 5 days and of 20 deliveries is disabled: what waits is cancelled, and those who want to know are told', async () => {
    const [failing, owner, listener] = [await receiving(answerWith(500)), await receiving(), await receiving()];
    const failed = await world.hear(failing.url, { callbackUrl: `${owner.url}/told` });
    const hearing = await world.hear(listener.url, { events: ['WEBHOOK_DISABLED'] });
    const waiting = await failDeliveries(failed, 19);
    await failingFor(failed, FIVE_DAYS);
    await assertActive(failed, 19);
    waiting.push(...(await failDeliveries(failed, 1)));

    const { status, disabled_reason } = await world.definition(failed.id);
    assert.deepEqual([status, disabled_reason], ['DISABLED', REASON]);
    for (const eventId of waiting) {
      const delivery = await world.deliveryOf(eventId);
      assert.deepEqual(
        [delivery.status, delivery.attempts, delivery.next_attempt_at, delivery.completed_at !== null],
        ['CANCELLED', 1, null, true],
      );
    }
    const payload = { webhookId: failed.id, target: failing.url, reason: REASON };
    for (const [who, { secret }] of [
      [listener, hearing],
      [owner, failed],
    ] as const) {
      await until('it is told', () => who.received.length === 1, WITHIN_MS);
      const [{ body, headers } = assert.fail()] = who.received;
      const told = new Webhook(secret).verify(body, headers) as Record<string, unknown>;
      assert.deepEqual([told.event, told.source, told.payload], ['WEBHOOK_DISABLED', 'OMS', payload]);
    }
    assert.equal(owner.received[0]?.path, '/told');
    const [collected = ''] = await world.emit();
    const { status: state, attempts } = await world.deliveryOf(collected);
    assert.deepEqual([state, attempts], ['PENDING', 0]);
    assert.equal(failing.received.length, 20);
  });

  it('for 1, 3 and 4 days is told of once each, to its owner and to who listens, before it is disabled', async () => {
    let status = 500;
    const failing = await receiving((response) => response.writeHead(status).end());
    const [owner, listener] = [await receiving(), await receiving()];
    const failed = await world.hear(failing.url, { callbackUrl: owner.url });
    await world.hear(listener.url, { events: ['WEBHOOK_FAILING'] });
    await failDeliveries(failed, 2);
    let notices = 0;
    for (const days of [1, 3, 4]) {
      await failingFor(failed, `${days} days`);
      await failDeliveries(failed, 2);
      notices++;
      await until('both are told', () => owner.received.length + listener.received.length >= 2 * notices, WITHIN_MS);
    }
    for (const { received } of [owner, listener]) {
      assert.equal(received.length, 3);
      for (const [index, days] of [1, 3, 4].entries()) {
        const { event, payload } = JSON.parse(received[index]?.body ?? '');
        const { failingSince, disableAt, failedDeliveries, ...rest } = payload;
        const expected = { webhookId: failed.id, target: failing.url, error: 'answered 500' };
        assert.deepEqual([event, rest], ['WEBHOOK_FAILING', expected]);
        assert.equal(Date.parse(disableAt) - Date.parse(failingSince), 5 * 86_400_000);
        assert.equal(Math.round((Date.now() - Date.parse(failingSince)) / 86_400_000), days);
        assert.ok(failedDeliveries >= 3, failedDeliveries);
      }
    }
    await assertActive(failed, 8);
    status = 204;
    const [delivered = ''] = await world.emit();
    await world.ended(delivered);
    assert.equal((await world.healthOf(failed.id)).notices, 0);
  });

  it('under a channel is told of to who listens under that channel, and to nobody of another', async () => {
    const [failing, listener, other] = [await receiving(answerWith(410)), await receiving(), await receiving()];
    const { id } = await world.hear(failing.url, {}, 7);
    await world.hear(listener.url, { events: ['WEBHOOK_DISABLED'] }, 7);
    await world.hear(other.url, { events: ['WEBHOOK_DISABLED'] }, 8);
    await world.emit([{ channel: 7 }]);
    await until('it is told', () => listener.received.length === 1, WITHIN_MS);
    const told = JSON.parse(listener.received[0]?.body ?? '');
    assert.deepEqual([told.event, told.channel, told.payload.webhookId], ['WEBHOOK_DISABLED', 7, id]);
    const { deliveries } = await world.db('event').where({ event: 'WEBHOOK_DISABLED', channel: 7 }).first();
    assert.equal(deliveries, 1);
  });

  it('of 19 deliveries, however long, stays', async () => {
    const hearing = await world.hear((await receiving(answerWith(500))).url);
    await failDeliveries(hearing, 18);
    await failingFor(hearing, '30 days');
    await failDeliveries(hearing, 1);
    await assertActive(hearing, 19);
  });

  it('of 20 deliveries in a little less than 5 days stays', async () => {
    const hearing = await world.hear((await receiving(answerWith(500))).url);
    await failDeliveries(hearing, 19);
    await failingFor(hearing, '4 days 23:55');
    await failDeliveries(hearing, 1);
    await assertActive(hearing, 20);
  });

  it('but for one success in between stays, and is counted anew', async () => {
    let well = false;
    const hearing = await world.hear((await receiving((response) => response.writeHead(well ? 200 : 500).end())).url);
    await failDeliveries(hearing, 19);
    await failingFor(hearing, '30 days');
    well = true;
    const [delivered = ''] = await world.emit();
    assert.equal((await world.ended(delivered)).status, 'DELIVERED');
    well = false;
    await failDeliveries(hearing, 1);
    await assertActive(hearing, 1);
    const { failing_since } = await world.healthOf(hearing.id);
    assert.ok((failing_since?.getTime() ?? 0) > Date.now() - WITHIN_MS);
  });

  describe('and is enabled again', () => {
    /** Disabled by its failures; its target answers the next requests when it is told to. */
    async function disabled(): Promise<{ hearing: Hearing; asked: ((status: number) => void)[] }> {
      let failing = true;
      const asked: ((status: number) => void)[] = [];
      const receiver = await receiving((response) => {
        const answer = (status: number) => response.writeHead(status).end();
        if (failing) answer(500);
        else asked.push(answer);
      });
      const hearing = await world.hear(receiver.url);
      await failDeliveries(hearing, 19);
      await failingFor(hearing, FIVE_DAYS);
      await failDeliveries(hearing, 1);
      assert.equal((await world.definition(hearing.id)).status, 'DISABLED');
      failing = false;
      const { siteId } = await world.shop();
      const enabled = await enableDefinition(world.db, siteId, hearing.id);
      assert.deepEqual([enabled.status, enabled.disabled_reason], ['ACTIVE', null]);
      return { hearing, asked };
    }

    /** Emits events, and waits until one is on its way and all others are put off. */
    async function oneProbe(asked: readonly unknown[]): Promise<string[]> {
      const events = await world.emit([{}, {}, {}, {}, {}]);
      const putOff = async () => (await Promise.all(events.map((id) => world.isPutOff(id)))).filter(Boolean).length;
      await until('one probe is out, and all others wait', async () => (await putOff()) === 4, WITHIN_MS);
      await until('the probe is there', () => asked.length > 0, WITHIN_MS);
      assert.equal(asked.length, 1);
      return events;
    }

    it('is sent one probe first, and everything once that is taken', async () => {
      const { hearing, asked } = await disabled();
      const events = await oneProbe(asked);
      asked[0]?.(200);
      for (let next = 1; next < events.length; next++) {
        await until('another comes', () => asked.length > next, WITHIN_MS);
        asked[next]?.(200);
      }
      for (const eventId of events) {
        const { status, attempts } = await world.ended(eventId);
        assert.deepEqual([status, attempts], ['DELIVERED', 1]);
      }
      const { failed_deliveries, failing_since, open_until } = await world.healthOf(hearing.id);
      assert.deepEqual([failed_deliveries, failing_since, open_until], [0, null, null]);
    });

    it('is sent the rest soon after the probe has succeeded', async () => {
      const { asked } = await disabled();
      const events = await world.emit([{}, {}, {}]);
      await until('the probe is there', () => asked.length > 0, WITHIN_MS);
      assert.equal(asked.length, 1);
      asked[0]?.(200);
      await until('the others come', () => asked.length === 3, WITHIN_MS);
      for (const answer of asked.slice(1)) answer(200);
      for (const eventId of events) {
        const { status } = await world.ended(eventId);
        assert.equal(status, 'DELIVERED');
      }
    });

    it('is sent one probe only when that fails; its days are counted from then', async () => {
      const { hearing, asked } = await disabled();
      const since = Date.now();
      const events = await oneProbe(asked);
      asked[0]?.(500);
      await until('it is recorded', async () => (await world.healthOf(hearing.id)).failed_deliveries === 1, WITHIN_MS);
      const { open_until, openings, failing_since } = await world.healthOf(hearing.id);
      assert.ok((open_until?.getTime() ?? 0) > since && openings === 2);
      assert.ok((failing_since?.getTime() ?? 0) >= since);
      const spent = await Promise.all(events.map(async (id) => (await world.deliveryOf(id)).attempts));
      assert.deepEqual(spent.sort(), [0, 0, 0, 0, 1]);
      await assertActive(hearing, 1);
    });
  });
});
