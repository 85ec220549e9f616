/** Category paths, written and read. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatPath, parsePath } from '../../../../../src/domain/catalog/categories/category-path.js';

describe('category paths', () => {
  it('join names by arrows', () => {
    assert.equal(formatPath(['PRIMARY', 'Storage', 'Disk']), 'PRIMARY->Storage->Disk');
    assert.deepEqual(parsePath(' PRIMARY -> Storage->Disk '), ['PRIMARY', 'Storage', 'Disk']);
  });

  it('escape an arrow inside a name', () => {
    assert.equal(formatPath(['A->B', 'C']), 'A\\->B->C');
    assert.deepEqual(parsePath('A\\->B->C'), ['A->B', 'C']);
  });

  it('keep a backslash that ends a name apart from one that escapes', () => {
    assert.equal(formatPath(['C:\\', 'D\\']), 'C:\\\\->D\\');
    assert.deepEqual(parsePath('C:\\\\->D\\'), ['C:\\', 'D\\']);
  });

  it('keep an empty name, which matches nothing', () => {
    assert.deepEqual(parsePath('A->->B'), ['A', '', 'B']);
    assert.deepEqual(parsePath(''), ['']);
  });

  it('read what they write, whatever the names', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', '-', '>', '\\', ' ', 'é'), minLength: 1, maxLength: 8 })
      .map((text) => text.trim())
      .filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        assert.deepEqual(parsePath(formatPath(names)), names);
      }),
      { numRuns: 2000 },
    );
  });
});
