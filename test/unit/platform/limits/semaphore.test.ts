/** Work that goes on a few pieces at a time. */
import assert from 'node:assert/strict';
import { createPermits } from '../../../../src/platform/limits/permits.js';
import { createSemaphore } from '../../../../src/platform/limits/semaphore.js';
import { SharedLimit } from '../../../../src/platform/limits/shared-limit.js';

describe('a turnstile', () => {
  it('lets as many through at once as it has places, the others in the order they came', async () => {
    const pass = createSemaphore(2);
    const begun: number[] = [];
    const end: (() => void)[] = [];
    const work = [0, 1, 2, 3].map((number) =>
      pass(() => {
        begun.push(number);
        return new Promise<void>((resolve) => {
          end[number] = resolve;
        });
      }),
    );
    assert.deepEqual(begun, [0, 1]);
    end[1]?.();
    await work[1];
    assert.deepEqual(begun, [0, 1, 2]);
    end[0]?.();
    await work[0];
    assert.deepEqual(begun, [0, 1, 2, 3]);
    end[2]?.();
    end[3]?.();
    await Promise.all(work);
  });

  it('gives its place back when the work fails, and passes the failure on', async () => {
    const pass = createSemaphore(1);
    await assert.rejects(
      pass(() => Promise.reject(new Error('failed'))),
      /failed/,
    );
    assert.equal(await pass(() => Promise.resolve('through')), 'through');
  });
});

describe('permits', () => {
  type Permit = Awaited<ReturnType<ReturnType<typeof createPermits>['take']>>;

  it('go to the lanes in turn, and within a lane to who has waited longest', async () => {
    const permits = createPermits(1);
    const held = [permits.take('a')].filter((taken) => !('then' in taken)) as Permit[];
    const order: string[] = [];
    for (const one of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) {
      const taken = permits.take(one[0]);
      assert.ok('then' in taken);
      void taken.then((permit) => {
        order.push(one);
        held.push(permit);
      });
    }
    assert.deepEqual([permits.waitingIn('a'), permits.waitingIn('d')], [3, 0]);
    for (let left = 0; left < 6; left++) {
      held.pop()?.leave();
      await new Promise(setImmediate);
    }
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    held.pop()?.leave();
    assert.ok(!('then' in permits.take('d')));
    assert.ok('then' in permits.take('d'));
  });

  describe('of an owner', () => {
    let most: number;
    let order: string[];
    let held: Map<string, Permit>;
    let take: (lane: string, owner: string) => void;
    beforeEach(() => {
      most = 2;
      order = [];
      held = new Map();
      const permits = createPermits(6, () => most);
      take = (lane, owner) => {
        void Promise.resolve(permits.take(lane, owner)).then((permit) => {
          order.push(lane);
          held.set(lane, permit);
        });
      };
    });

    it('are limited, whatever its lanes are, and others get theirs beside it', async () => {
      for (const lane of ['a1', 'a2', 'a3', 'a4']) take(lane, 'a');
      take('b1', 'b');
      await new Promise(setImmediate);
      assert.deepEqual(order, ['a1', 'a2', 'b1']);
      held.get('b1')?.leave();
      await new Promise(setImmediate);
      assert.equal(order.length, 3, 'what another one returns is not for an owner at its limit');
      most = 3;
      held.get('a1')?.leave();
      await new Promise(setImmediate);
      assert.deepEqual(order.slice(3), ['a3', 'a4']);
    });
  });
});

describe('a limit for those who share a process', () => {
  let now = 0;
  let busy = 0.9;
  let limit: SharedLimit;
  beforeEach(() => {
    now = 1_000;
    busy = 0.9;
    limit = new SharedLimit({ alone: 100, contended: 40, least: 8, now: () => now, utilization: () => busy });
  });
  const currentIn = (ms: number) => {
    now += ms;
    return limit.current();
  };

  it('is that of one alone until somebody else comes, and again ten seconds after both were there', () => {
    limit.contention.notice('a');
    assert.equal(currentIn(100), 100);
    limit.contention.notice('b');
    assert.ok(currentIn(100) < 100);
    limit.contention.notice('b');
    assert.equal(currentIn(10_000), 100);
  });

  it('is halved down to the least while the process is busy, and raised step by step when it has time', () => {
    limit.contention.notice('a');
    limit.contention.notice('b');
    assert.deepEqual([currentIn(50), currentIn(50), currentIn(25), currentIn(25), currentIn(50)], [20, 10, 10, 8, 8]);
    busy = 0.5;
    assert.deepEqual([currentIn(100), currentIn(100)], [9, 10]);
    busy = 0.7;
    assert.equal(currentIn(100), 10);
  });
});
