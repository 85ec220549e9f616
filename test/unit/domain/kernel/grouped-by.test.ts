import assert from 'node:assert/strict';
import { groupedBy } from '../../../../src/domain/kernel/grouped-by.js';

describe('groupedBy', () => {
  it('lists the items of each key in their order', () => {
    const groups = groupedBy(['b1', 'a1', 'b2'], ([key]) => key);
    assert.deepEqual(
      [...groups],
      [
        ['b', ['b1', 'b2']],
        ['a', ['a1']],
      ],
    );
  });

  it('takes no longer for items with the same key than for others', () => {
    // Lists that are copied for each item would take half a minute.
    const startedAt = performance.now();
    const groups = groupedBy(
      Array.from({ length: 300_000 }, (_, index) => index),
      () => 'same',
    );
    assert.equal(groups.get('same')?.length, 300_000);
    assert.ok(performance.now() - startedAt < 2_000);
  });
});
