import assert from 'node:assert/strict';
import { backoffMs, STEP_BACKOFF } from '../../../src/platform/backoff.js';

describe('backoff', () => {
  it('doubles from the first pause up to the longest', () => {
    const pauses = Array.from({ length: 9 }, (_, index) => backoffMs(STEP_BACKOFF, index + 1));
    assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('stays at the longest after any number of failures', () => {
    for (const failures of [31, 1_000, 100_000]) assert.equal(backoffMs(STEP_BACKOFF, failures), 60_000);
  });

  it('is never longer than the longest, though the first be', () => {
    assert.equal(backoffMs({ firstMs: 50, longestMs: 20 }, 1), 20);
  });
});
