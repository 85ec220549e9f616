/** Ids of attributes that are created together. */
import assert from 'node:assert/strict';
import { ascendingIds } from '../../../../../src/domain/catalog/attributes/ascending-ids.js';
import { firstIdOf, isId } from '../../../../../src/domain/kernel/identifier.js';

describe('ids that ascend', () => {
  it('sort in the order in which they were made, and none is made twice', () => {
    const newId = ascendingIds();
    const ids = Array.from({ length: 5_000 }, newId);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    assert.deepEqual(
      ids.filter((id) => !isId(id)),
      [],
    );
  });

  it('are of the time at which they were made, as all ids are', () => {
    const before = firstIdOf(new Date());
    const newId = ascendingIds();
    for (let count = 0; count < 100; count++) {
      const id = newId();
      assert.ok(id >= before && id < firstIdOf(new Date(Date.now() + 5_000)), id);
    }
  });

  it('are not those of others who make some at the same time', () => {
    const makers = Array.from({ length: 50 }, () => ascendingIds());
    const ids = makers.flatMap((newId) => Array.from({ length: 50 }, newId));
    assert.equal(new Set(ids).size, ids.length);
  });
});
