/** Leases of rates, which several processes take from one database. */
import assert from 'node:assert/strict';
import { leaseRates } from '../../../src/domain/webhooks/delivery/slots/lease-rates.js';
import { createRateLeases } from '../../../src/domain/webhooks/delivery/slots/rate-leases.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

const RATE = 100;
/** What a process leases at a time: a tenth of a second. */
const SHARE = RATE / 10;

describe('the rate of an endpoint', function () {
  this.timeout(30_000);
  let world: DeliveryWorld;
  let id: string;
  before(async () => {
    world = await DeliveryWorld.start();
  });
  beforeEach(async () => {
    ({ id } = await world.hear('http://127.0.0.1:9', { rateLimit: RATE }));
  });
  afterEach(() => world.forgetDefinitions());
  after(() => world.stop());

  /** When the next request may be sent that nobody has leased. */
  const nextAtMs = async (): Promise<number> =>
    (await world.db('endpoint_rate').where({ definition_id: id }).first('next_at')).next_at.getTime();

  it('is leased once, by however many processes at the same time: a second of it at once, then as time passes', async () => {
    const begun = performance.now();
    const asked = Array.from({ length: 40 }, () => leaseRates(world.db, [{ id, rate: RATE, wanted: 9 }]));
    const answers = (await Promise.all(asked)).flat();
    const granted = answers.reduce((sum, one) => sum + one.granted, 0);
    const seconds = (performance.now() - begun) / 1_000;
    assert.ok(granted >= RATE && granted <= RATE * (1 + seconds) + 1, `${granted} in ${seconds} s`);
    const refused = answers.filter((one) => one.granted === 0);
    assert.ok(refused.length > 0 && refused.every(({ waitMs }) => waitMs > 0 && waitMs <= 1_000 / RATE));
  });

  it('is leased for several endpoints by one statement; one that was deleted has no limit', async () => {
    const { id: slow } = await world.hear('http://127.0.0.1:9/slow', { rateLimit: 1 });
    const ask = () =>
      leaseRates(world.db, [
        { id: slow, rate: 1, wanted: 5 },
        { id: 'deleted', rate: 1, wanted: 5 },
        { id, rate: RATE, wanted: 5 },
      ]);
    assert.deepEqual(
      (await ask()).map(({ granted }) => granted),
      [1, 5, 5],
    );
    const [refused] = await ask();
    assert.equal(refused?.granted, 0);
    assert.ok((refused?.waitMs ?? 0) > 0 && (refused?.waitMs ?? 0) <= 1_000);
    await world.db('webhook_definition').where({ id: slow }).delete();
    assert.equal(await world.db('endpoint_rate').where({ definition_id: slow }).first(), undefined);
  });

  it('costs one statement for many requests, and what a process has not sent in time is lost', async () => {
    let now = 1_000_000;
    const lease = createRateLeases(world.db, () => now);
    assert.equal(await lease(id, RATE), 0);
    const leasedTo = await nextAtMs();
    for (let sent = 1; sent < SHARE; sent++) assert.equal(await lease(id, RATE), 0);
    assert.equal(await nextAtMs(), leasedTo, 'without another statement');
    assert.equal(await lease(id, RATE), 0);
    const next = await nextAtMs();
    assert.ok(next > leasedTo);
    now += 500;
    assert.equal(await lease(id, RATE), 0);
    assert.ok((await nextAtMs()) > next, 'the lease has ended');
  });

  it('that is used up is not asked for again before it can be', async () => {
    let now = 1_000_000;
    const lease = createRateLeases(world.db, () => now);
    await leaseRates(world.db, [{ id, rate: 1, wanted: 1 }]);
    const waitMs = await lease(id, 1);
    assert.ok(waitMs > 0 && waitMs <= 1_000, String(waitMs));
    await world.db('endpoint_rate').delete();
    assert.equal(await lease(id, 1), waitMs);
    now += waitMs;
    assert.equal(await lease(id, 1), 0);
  });
});
