import assert from 'node:assert/strict';
import { stat } from 'node:fs';
import { DeliverySlots, Destination } from '../../../../../../src/domain/webhooks/delivery/slots/delivery-slots.js';
import { EndpointSlots } from '../../../../../../src/domain/webhooks/delivery/slots/endpoint-slots.js';
import type { Slot } from '../../../../../../src/domain/webhooks/delivery/slots/slot.js';

describe('the slots of an endpoint', () => {
  let now = 0;
  let most = 2;
  let slots: EndpointSlots;
  beforeEach(() => {
    now = 1_000_000;
    most = 2;
    slots = new EndpointSlots({ limit: 2, mostOf: () => most, permits: 12, now: () => now });
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
    await slots.take('a');
    await slots.take('a');
    assert.equal((await slots.take('b')).kind, 'taken');
    now += 60_000;
    assert.ok(delayOf(await slots.take('a')) >= 50);
  });

  it('are waited for at hand when one is likely to be free soon', async () => {
    const first = await slots.take('a');
    await slots.take('a');
    const third = slots.take('a');
    release(first);
    assert.equal((await third).kind, 'taken');
  });

  it('leave places at hand for the others, the fewer the more endpoints are called', async () => {
    const inHand = async (key: string) => {
      const taken: Promise<Slot>[] = [];
      for (let number = 0; number < 30; number++) taken.push(Promise.resolve(slots.take(key)));
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
    await slots.take('a');
    await slots.take('a');
    now += 10_000;
    const delays: number[] = [];
    for (let number = 0; number < 50; number++) delays.push(delayOf(await slots.take('a')));
    assert.ok(delays.every((delay, index) => index === 0 || delay > (delays[index - 1] ?? 0)));
    assert.ok((delays.at(-1) ?? 0) > 10_000 && (delays.at(-1) ?? 0) <= 61_000, String(delays.at(-1)));
  });

  it('are soon asked for again by those for whom a process that has just begun has no share', async () => {
    slots = new EndpointSlots({ limit: 50, mostOf: () => 1, permits: 100, now: () => now });
    await slots.take('a');
    now += 2_000;
    let last = 0;
    for (let number = 0; number < 1_000; number++) last = delayOf(await slots.take('a'));
    assert.ok(last < 41_000, String(last));
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

  it('are not handed on while the limit is smaller than what is under way', async () => {
    const first = await slots.take('a');
    const second = await slots.take('a');
    const third = Promise.resolve(slots.take('a'));
    let isTaken = false;
    void third.then(() => (isTaken = true));
    most = 1;
    release(first);
    await new Promise(setImmediate);
    assert.equal(isTaken, false);
    release(second);
    assert.equal((await third).kind, 'taken');
  });

  it('are handed on to as many as wait when the limit has become larger', async () => {
    const first = await slots.take('a');
    await slots.take('a');
    const waiting = [slots.take('a'), slots.take('a'), slots.take('a'), slots.take('a')].map((slot) =>
      Promise.resolve(slot),
    );
    let taken = 0;
    for (const slot of waiting) void slot.then(() => taken++);
    most = 4;
    release(first);
    await new Promise(setImmediate);
    assert.equal(taken, 3);
  });
});

describe('the slots of a delivery', () => {
  let now = 0;
  let slots: DeliverySlots;
  beforeEach(() => {
    now = 1_000_000;
    // Half of each limit, as one of two processes has it.
    const shareOf = (limit: number) => Math.floor(limit / 2);
    slots = new DeliverySlots({ perEndpoint: 4, shareOf, permits: 100, now: () => now });
  });

  /** No slot was released for so long that none is waited for. */
  function take(destination: Destination): Slot | Promise<Slot> {
    now += 2_000;
    return slots.take(destination);
  }

  let endpoints = 0;
  /** Takes slots, each for another endpoint, until there are none. @returns those that were free */
  async function takeAll(account: string, host: string): Promise<Slot[]> {
    const taken: Slot[] = [];
    while (taken.length < 1_000) {
      endpoints += 1;
      const slot = await take(new Destination(String(endpoints), account, host));
      if (slot.kind === 'full') break;
      taken.push(slot);
    }
    return taken;
  }
  const releaseAll = (taken: readonly Slot[]) => {
    for (const slot of taken) if (slot.kind === 'taken') slot.release();
  };

  it('are limited by account and host, however many endpoints are there', async () => {
    const taken = await takeAll('A', 'one.example');
    assert.equal(taken.length, 20);
    assert.equal((await takeAll('A', 'two.example')).length, 20);
    assert.equal((await takeAll('B', 'one.example')).length, 20);
    releaseAll(taken.slice(0, 7));
    assert.equal((await takeAll('A', 'one.example')).length, 7);
  });

  it('of a host are waited for, though its first answers take a while', async () => {
    const destination = () => new Destination(String(++endpoints), 'A', 'one.example');
    const inFlight: Slot[] = [];
    const asked = Array.from({ length: 60 }, () => {
      const slot = Promise.resolve(slots.take(destination()));
      now += 10;
      return slot.then((one) => {
        inFlight.push(one);
        return one.kind;
      });
    });
    for (let round = 0; round < 3; round++) {
      await new Promise(setImmediate);
      assert.equal(inFlight.length, 20, 'never more than the limit');
      now += 100;
      releaseAll(inFlight.splice(0));
    }
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(['taken']));
  });

  it('of a host are waited for until a second after it has answered last', async () => {
    await takeAll('A', 'one.example');
    now -= 1_010;
    const began = performance.now();
    const slot = await slots.take(new Destination('waiting', 'A', 'one.example'));
    assert.equal(slot.kind, 'full');
    assert.ok(performance.now() - began < 500, `${performance.now() - began} ms`);
  });

  it('of a host are still taken over by those that wait when the process itself stood still', async () => {
    const taken = await takeAll('A', 'one.example');
    now -= 1_010;
    const waiting = slots.take(new Destination('waiting', 'A', 'one.example'));
    // What arrives meanwhile, as this file's state does, is read after the timers that are due.
    stat(import.meta.filename, () => releaseAll(taken));
    const stoodUntil = performance.now() + 50;
    while (performance.now() < stoodUntil);
    assert.equal((await waiting).kind, 'taken');
  });

  it('of an endpoint are given back when those of the host are not free', async () => {
    const taken = await takeAll('A', 'one.example');
    const asked = new Destination('same', 'A', 'one.example');
    for (let time = 0; time < 5; time++) assert.equal((await take(asked)).kind, 'full');
    releaseAll(taken);
    assert.equal((await take(asked)).kind, 'taken');
    assert.equal((await take(asked)).kind, 'taken');
    assert.equal((await take(asked)).kind, 'full');
  });

  it('are limited for a host that fails, over all accounts, until it answers again', async () => {
    for (let failure = 0; failure < 9; failure++) slots.noteEnd('one.example', true);
    releaseAll([...(await takeAll('A', 'one.example')), ...(await takeAll('B', 'one.example'))]);
    slots.noteEnd('one.example', true);
    const taken = await takeAll('A', 'one.example');
    assert.equal(taken.length, 20);
    assert.equal((await takeAll('B', 'one.example')).length, 0);
    assert.equal((await takeAll('B', 'two.example')).length, 20);
    slots.noteEnd('one.example', false);
    assert.equal((await takeAll('B', 'one.example')).length, 20);
  });
});
