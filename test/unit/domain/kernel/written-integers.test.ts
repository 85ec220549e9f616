import assert from 'node:assert/strict';
import fc from 'fast-check';
import { joinedIntegers } from '../../../../src/domain/kernel/written-integers.js';

const EDGES = [0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 32, 1e15, Number.MAX_SAFE_INTEGER];

describe('joinedIntegers', () => {
  it('writes what join() writes', () => {
    assert.equal(joinedIntegers(EDGES), EDGES.join());
    fc.assert(fc.property(fc.array(fc.maxSafeNat()), (values) => assert.equal(joinedIntegers(values), values.join())));
  });

  it('writes nothing for none', () => assert.equal(joinedIntegers([]), ''));
});
