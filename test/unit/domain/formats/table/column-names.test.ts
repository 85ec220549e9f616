import assert from 'node:assert/strict';
import fc from 'fast-check';
import { columnNames } from '../../../../../src/domain/formats/table/column-names.js';

describe('the names of columns', () => {
  it('are trimmed and in normal form C', () => {
    assert.deepEqual(columnNames([' SKU\t', 'Gro\u0308ße']), ['SKU', 'Gr\u00f6ße']);
  });

  it('have numbers when they are repeated in any case, or blank', () => {
    assert.deepEqual(columnNames(['Name', '', 'name', 'NAME ', ' ']), [
      'Name',
      'Column 2',
      'name (2)',
      'NAME (3)',
      'Column 5',
    ]);
  });

  it('leave the names that the header itself says to their columns', () => {
    assert.deepEqual(columnNames(['A', 'A', 'A (2)', '', 'Column 4']), [
      'A',
      'A (3)',
      'A (2)',
      'Column 4 (2)',
      'Column 4',
    ]);
  });

  it('are as many as the cells, differ in any case, and are never blank', () => {
    const cell = fc.constantFrom('', ' ', 'a', 'A', 'a (2)', 'A (3)', 'Column 1', 'column 2', 'Column 1 (2)');
    const property = fc.property(fc.array(cell, { maxLength: 20 }), (header) => {
      const names = columnNames(header);
      assert.equal(names.length, header.length);
      assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
      assert.ok(names.every((name) => name.trim() === name && name !== ''));
    });
    fc.assert(property);
  });

  it('are found at once for as many equal columns as a file may have', () => {
    const started = performance.now();
    assert.equal(columnNames(new Array(10_000).fill('same')).at(-1), 'same (10000)');
    assert.ok(performance.now() - started < 1_000);
  });
});
