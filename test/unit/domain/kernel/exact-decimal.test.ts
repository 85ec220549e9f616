import assert from 'node:assert/strict';
import { canonicalDecimal } from '../../../../src/domain/kernel/exact-decimal.js';

describe('canonicalDecimal', () => {
  it('passes over any number of digits', () => {
    for (const count of [1, 63, 64, 65, 128, 1_000]) {
      const digits = '7'.repeat(count);
      assert.equal(canonicalDecimal(digits, '.'), digits);
      assert.equal(canonicalDecimal(`-${'0'.repeat(count)}.5`, '.'), '-0.5');
      assert.deepEqual(canonicalDecimal(`${digits} `, '.'), { fault: 'syntax' });
      assert.deepEqual(canonicalDecimal(`${digits}.${digits}x`, '.'), { fault: 'syntax' });
    }
    assert.deepEqual(canonicalDecimal('7'.repeat(1_001), '.'), { fault: 'digits' });
    assert.equal(canonicalDecimal(`1.${'0'.repeat(100_000)}`, '.'), '1');
  });
});
