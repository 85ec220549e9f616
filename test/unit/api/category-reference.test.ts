/** How requests name a category. */
import assert from 'node:assert/strict';
import { categoryReference } from '../../../src/api/category-reference.js';

const ID = '0123456789abcdef01234567';

describe('a category reference', () => {
  it('is a node id, as number or digits, or an id', () => {
    assert.deepEqual(categoryReference.parse(7), { nodeId: 7 });
    assert.deepEqual(categoryReference.parse('7'), { nodeId: 7 });
    assert.deepEqual(categoryReference.parse(ID), { id: ID });
    assert.deepEqual(categoryReference.parse(`${'0'.repeat(23)}1`), { id: `${'0'.repeat(23)}1` });
    assert.deepEqual(categoryReference.parse('1'.repeat(24)), { id: '1'.repeat(24) });
  });

  it('is nothing else', () => {
    for (const bad of [0, -1, 1.5, '', '0', 'Storage', `${ID}0`, null, {}]) {
      assert.equal(categoryReference.safeParse(bad).success, false, JSON.stringify(bad));
    }
  });
});
