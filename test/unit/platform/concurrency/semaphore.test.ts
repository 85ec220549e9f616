/** Work that goes on a few pieces at a time. */
import assert from 'node:assert/strict';
import { createPermits, createSemaphore } from '../../../../src/platform/concurrency/semaphore.js';

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
  it('go to the lanes in turn, and within a lane to who has waited longest', async () => {
    const permits = createPermits(1);
    assert.equal(permits.take('a'), undefined);
    const order: string[] = [];
    for (const one of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void permits.take(one[0])?.then(() => order.push(one));
    assert.deepEqual([permits.waitingIn('a'), permits.waitingIn('d')], [3, 0]);
    for (let left = 0; left < 6; left++) permits.leave();
    await new Promise(setImmediate);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    permits.leave();
    assert.equal(permits.take('d'), undefined);
    assert.notEqual(permits.take('d'), undefined);
  });
});
