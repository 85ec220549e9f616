/** The set knows what was added, however much that is. */
import assert from 'node:assert/strict';
import { HashSet } from '../../../../../src/domain/formats/plan/hash-set.js';
import { KeyHash } from '../../../../../src/domain/formats/plan/key-hash.js';

describe('HashSet', () => {
  it('tells new hashes from known ones while it grows', () => {
    const set = new HashSet();
    const hash = new KeyHash();
    for (let index = 0; index < 100_000; index += 1) {
      hash.ofText(`SKU-${index}`);
      assert.equal(set.add(hash.high, hash.low), true);
    }
    assert.equal(set.size, 100_000);
    for (let index = 0; index < 100_000; index += 1) {
      hash.ofText(`SKU-${index}`);
      assert.equal(set.has(hash.high, hash.low), true);
      assert.equal(set.add(hash.high, hash.low), false);
      hash.ofText(`sku-${index}`);
      assert.equal(set.has(hash.high, hash.low), false);
    }
  });

  it('holds the hash that is all zero', () => {
    const set = new HashSet();
    assert.equal(set.has(0, 0), false);
    assert.equal(set.add(0, 0), true);
    assert.equal(set.add(0, 0), false);
  });
});
