import assert from 'node:assert/strict';
import { median, percentile, spread } from '../../../bench/measure/statistics.js';

describe('statistics of measured runs', () => {
  it('takes the middle of an odd number of values, in whatever order they came', () => {
    assert.equal(median([9, 1, 5]), 5);
  });

  it('takes the mean of the two in the middle of an even number', () => {
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });

  it('interpolates between the values on both sides of a percentile', () => {
    const hundred = Array.from({ length: 101 }, (_, value) => value);
    assert.equal(percentile(hundred, 99), 99);
    assert.equal(percentile([0, 10], 95), 9.5);
  });

  it('has no median of nothing', () => {
    assert.throws(() => median([]), /no percentile of no values/);
  });

  it('tells how far the values lie from their median', () => {
    assert.equal(spread([90, 100, 120]), 0.2);
  });
});
