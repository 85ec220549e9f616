import assert from 'node:assert/strict';
import { stopBudget } from '../../../src/workers/stop-budget.js';

describe('the grace period of a worker', () => {
  it('is spent on what is in hand but for a second and a half', () => {
    assert.deepEqual(stopBudget(20_000), { drainMs: 18_500, handBackMs: 1_000, closeMs: 500 });
  });

  it('is never exceeded, however short', () => {
    for (const graceMs of [0, 10, 500, 4_000, 6_000, 120_000]) {
      const { drainMs, handBackMs, closeMs } = stopBudget(graceMs);
      assert.ok(drainMs + handBackMs + closeMs <= graceMs);
      assert.ok(drainMs >= 0.75 * graceMs);
    }
  });
});
