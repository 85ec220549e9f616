import assert from 'node:assert/strict';
import { FailureBackoff } from '../../../../src/platform/limits/failure-backoff.js';

describe('a caller who fails', () => {
  let now = 0;
  let backoff: FailureBackoff;
  beforeEach(() => {
    now = 0;
    backoff = new FailureBackoff({ free: 4, firstMs: 1_000, longestMs: 300_000 }, () => now);
  });
  const fail = (times: number, caller = 'a') => {
    for (let time = 0; time < times; time++) backoff.failed(caller);
  };

  it('may fail four times without a wait, and then waits twice as long after each failure', () => {
    fail(4);
    assert.equal(backoff.waitMs('a'), 0);
    const waits = [1, 2, 3].map(() => {
      fail(1);
      return backoff.waitMs('a');
    });
    assert.deepEqual(waits, [1_000, 2_000, 4_000]);
    now = 3_000;
    assert.equal(backoff.waitMs('a'), 1_000);
    now = 4_000;
    assert.equal(backoff.waitMs('a'), 0);
  });

  it('waits at most five minutes', () => {
    fail(1_000);
    assert.equal(backoff.waitMs('a'), 300_000);
  });

  it('delays no other caller', () => {
    fail(10);
    assert.equal(backoff.waitMs('b'), 0);
  });

  it('begins anew after a success', () => {
    fail(5);
    backoff.succeeded('a');
    fail(4);
    assert.equal(backoff.waitMs('a'), 0);
  });
});
