import assert from 'node:assert/strict';
import { counted } from '../../../../src/domain/kernel/counted.js';

describe('counted', () => {
  it('has the noun in the number that belongs to the count', () => {
    const counts = [
      counted(0, 'row'),
      counted(1, 'row'),
      counted(2, 'row'),
      counted(1, 'process'),
      counted(2, 'process'),
    ];
    assert.deepEqual(counts, ['0 rows', '1 row', '2 rows', '1 process', '2 processes']);
  });
});
