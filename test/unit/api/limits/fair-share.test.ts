import assert from 'node:assert/strict';
import { createFairShare, type FairShare } from '../../../../src/api/limits/fair-share.js';

describe('the share of an account', () => {
  const LIMITS = { alone: 10, contended: 4, least: 2, waiting: 3 };
  let now: number;
  let busy: number;
  let share: FairShare;
  /** `account token` of each request that has begun, in order. */
  let begun: string[];
  beforeEach(() => {
    now = 1;
    busy = 0;
    begun = [];
    share = createFairShare(LIMITS, { now: () => now, utilization: () => busy });
  });
  const send = (account: string, token = 't') => {
    const turn = share.enter(account, token);
    if (turn === undefined) begun.push(`${account} ${token}`);
    else turn.then(() => begun.push(`${account} ${token}`));
  };
  const sendMany = (count: number, account: string, token?: string) => {
    for (let index = 0; index < count; index++) send(account, token);
  };
  const end = async (account: string) => {
    share.leave(account);
    await Promise.resolve();
  };
  const countOf = (account: string) => begun.filter((name) => name.startsWith(`${account} `)).length;

  it('is everything while it is alone, and its further requests wait', async () => {
    sendMany(13, 'a');
    assert.equal(countOf('a'), 10);
    for (let left = 0; left < 3; left++) await end('a');
    assert.equal(countOf('a'), 13);
  });

  it('has a limit of waiting requests while it is alone, too', async () => {
    sendMany(13, 'a');
    await assert.rejects(Promise.resolve(share.enter('a', 't')), { kind: 'busy', retryAfterSeconds: 1 });
  });

  it('forgets requests that wait when their clients leave, and gives their turns to others', async () => {
    sendMany(10, 'a');
    const gone = new AbortController();
    const left = Array.from({ length: 3 }, () =>
      assert.rejects(async () => share.enter('a', 'left', gone.signal), /left/),
    );
    gone.abort(new Error('the client has left'));
    await Promise.all(left);
    await assert.rejects(async () => share.enter('a', 'left', gone.signal), /left/, 'it has left before it waits');
    sendMany(3, 'a', 'stays');
    for (let ended = 0; ended < 3; ended++) await end('a');
    assert.deepEqual(begun.slice(10), ['a stays', 'a stays', 'a stays']);
  });

  it('refuses no client later than it leaves', async () => {
    sendMany(13, 'a');
    const gone = new AbortController();
    const refused = assert.rejects(async () => share.enter('a', 't', gone.signal), /left/);
    gone.abort(new Error('the client has left'));
    const before = performance.now();
    await refused;
    assert.ok(performance.now() - before < 500);
  });

  it('leaves every other account a few requests that never wait', () => {
    sendMany(13, 'a');
    sendMany(2, 'b');
    sendMany(2, 'c');
    assert.deepEqual([countOf('b'), countOf('c')], [2, 2]);
  });

  it('is smaller while others send requests: what becomes free goes to those who have the fewest', async () => {
    sendMany(13, 'a');
    sendMany(3, 'b');
    assert.deepEqual([countOf('a'), countOf('b')], [10, 2]);
    await end('b');
    assert.deepEqual([countOf('a'), countOf('b')], [10, 3]);
    for (let left = 0; left < 8; left++) await end('a');
    assert.equal(countOf('a'), 10, 'nothing begins above the limit');
    await end('a');
    assert.equal(countOf('a'), 11);
  });

  it('is divided among its tokens', async () => {
    sendMany(12, 'a', 'busy');
    send('a', 'calm');
    for (let left = 0; left < 2; left++) await end('a');
    assert.equal(begun.at(-1), 'a calm');
  });

  it('has a limit of waiting requests while others send some: busy, with Retry-After, and not at once', async () => {
    sendMany(10, 'a');
    send('b');
    sendMany(3, 'a');
    const refusedAt = performance.now();
    await assert.rejects(Promise.resolve(share.enter('a', 't')), { kind: 'busy', retryAfterSeconds: 1 });
    assert.ok(performance.now() - refusedAt > 950);
    send('b');
    assert.equal(countOf('b'), 2);
  });

  it('is smaller still while the process is busy, and grows again when it has time', async () => {
    busy = 0.9;
    send('b');
    sendMany(6, 'a');
    assert.equal(countOf('a'), 3);
    now += 100;
    await end('a');
    assert.equal(countOf('a'), 3, 'two of four places are left, and b has one of them');
    await end('a');
    assert.equal(countOf('a'), 4, 'an account may always have two');
    busy = 0.1;
    for (let step = 0; step < 2; step++) {
      now += 100;
      send('a');
    }
    await Promise.resolve();
    assert.equal(countOf('a'), 5);
  });

  it('is everything again some seconds after the last request of another', async () => {
    send('b');
    sendMany(5, 'a');
    assert.equal(countOf('a'), 3);
    now += 10_001;
    sendMany(10, 'a');
    await Promise.resolve();
    assert.equal(countOf('a'), 9);
  });
});
