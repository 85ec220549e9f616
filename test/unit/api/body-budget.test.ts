import assert from 'node:assert/strict';
import { createBodyBudget } from '../../../src/api/body-budget.js';

describe('the body budget', () => {
  it('refuses what does not fit beside what is held, and takes it when that is released', () => {
    const budget = createBodyBudget(100);
    const lease = budget.lease(60);
    assert.throws(() => budget.lease(41), { kind: 'unavailable', retryAfterSeconds: 2 });
    lease.release();
    budget.lease(100);
    assert.equal(budget.usedBytes(), 100);
  });

  it('counts growth, and keeps what it held when growth is refused', () => {
    const budget = createBodyBudget(100);
    const lease = budget.lease(10);
    lease.grow(80);
    assert.throws(() => lease.grow(11), { kind: 'unavailable' });
    assert.equal(budget.usedBytes(), 90);
    lease.release();
    assert.equal(budget.usedBytes(), 0);
  });

  it('gives back once, however often it is released', () => {
    const budget = createBodyBudget(100);
    const lease = budget.lease(30);
    lease.release();
    lease.release();
    lease.grow(50);
    assert.equal(budget.usedBytes(), 0);
  });
});
