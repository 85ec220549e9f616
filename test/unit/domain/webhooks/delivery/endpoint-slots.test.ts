import assert from 'node:assert/strict';
import { EndpointSlots, type Slot } from '../../../../../src/domain/webhooks/delivery/endpoint-slots.js';

describe('the slots of an endpoint', () => {
  let now = 0;
  let slots: EndpointSlots;
  beforeEach(() => {
    now = 1_000_000;
    slots = new EndpointSlots({ perEndpoint: 2, permits: 12, now: () => now });
  });

  const release = (slot: Slot) => {
    assert.equal(slot.kind, 'taken');
    if (slot.kind === 'taken') slot.release();
  };
  const delayOf = (slot: Slot) => {
    assert.equal(slot.kind, 'full');
    return slot.kind === 'full' ? slot.delayMs : 0;
  };

  it('are as many as it may have under way, and of one endpoint only', async () => {
    await slots.take('a', null);
    await slots.take('a', null);
    assert.equal((await slots.take('b', null)).kind, 'taken');
    now += 60_000;
    assert.ok(delayOf(await slots.take('a', null)) >= 50);
  });

  it('are waited for at hand when one is likely to be free soon', async () => {
    const first = await slots.take('a', null);
    await slots.take('a', null);
    const third = slots.take('a', null);
    release(first);
    assert.equal((await third).kind, 'taken');
  });

  it('leave places at hand for the others, the fewer the more endpoints are called', async () => {
    const inHand = async (key: string) => {
      const taken: Promise<Slot>[] = [];
      for (let number = 0; number < 30; number++) taken.push(Promise.resolve(slots.take(key, null)));
      const settled: (Slot | null)[] = taken.map(() => null);
      for (const [index, slot] of taken.entries()) void slot.then((one) => (settled[index] = one));
      await new Promise(setImmediate);
      return settled.filter((slot) => slot?.kind !== 'full').length;
    };
    assert.equal(await inHand('a'), 24);
    assert.equal(await inHand('b'), 12);
    for (const key of ['c', 'd', 'e', 'f']) await inHand(key);
    assert.equal(await inHand('g'), 4);
  });

  it('send those that hang around for longer, the longer their backlog is', async () => {
    await slots.take('a', null);
    await slots.take('a', null);
    now += 10_000;
    const delays: number[] = [];
    for (let number = 0; number < 50; number++) delays.push(delayOf(await slots.take('a', null)));
    assert.ok(delays.every((delay, index) => index === 0 || delay > (delays[index - 1] ?? 0)));
    assert.ok((delays.at(-1) ?? 0) > 10_000 && (delays.at(-1) ?? 0) <= 61_000, String(delays.at(-1)));
  });

  it('come one after another when a pause is over, behind it', () => {
    const [first, second] = [slots.delayOf('a', 5_000), slots.delayOf('a', 5_000)];
    assert.ok(first >= 5_000 && second > first && second < 6_000);
  });

  it('are not waited for behind deliveries that a breaker kept back, once it has closed', () => {
    assert.ok(slots.delayOf('a', 3_600_000) >= 3_600_000);
    assert.ok(slots.delayOf('a', 1_000) < 1_100);
    assert.ok(slots.delayOf('a', 1_000) > 1_000);
  });

  it('let no more than its rate through, a second of which may go at once', async () => {
    let taken = 0;
    const seconds = 10;
    for (const end = now + seconds * 1_000; now < end; now += 20) {
      const slot = await slots.take('a', 5);
      if (slot.kind === 'full') continue;
      taken += 1;
      slot.release();
    }
    assert.ok(taken >= seconds * 5 && taken <= (seconds + 1) * 5, String(taken));
  });
});
