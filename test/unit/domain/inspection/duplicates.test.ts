/** What an inspection says of values that occur again, and of answers that a part of a file has given. */
import assert from 'node:assert/strict';
import { columnOf, inspect } from './inspect-fixture.js';

const csv = (rows: readonly string[]) => `SKU;Kategorie\n${rows.join('\n')}\n`;

describe('the duplicates of a column', () => {
  it('are counted, and the first are named with the rows in which they occur', async () => {
    const rows = ['a;x', 'b;y', 'a;x', 'c;x', 'b;x', 'a;x', 'a;x', 'a;x', ' a ;x', 'd;x', 'd;x', 'e;x', 'e;x'];
    const found = await inspect(csv(rows));
    assert.deepEqual(columnOf(found, 'SKU').duplicates, {
      count: 8,
      isExact: true,
      examples: [
        { value: 'a', rows: [2, 4, 7, 8, 9] },
        { value: 'b', rows: [3, 6] },
        { value: 'd', rows: [11, 12] },
      ],
    });
  });

  it('are none where all values differ, however many there are', async () => {
    const found = await inspect(csv(Array.from({ length: 3_000 }, (_, row) => `A-${row};x`)));
    assert.deepEqual(columnOf(found, 'SKU').duplicates, { count: 0, isExact: true, examples: [] });
  });

  it('are an estimate that says so beyond 1,000 different values, and at least those that were found', async () => {
    const rows = Array.from({ length: 3_000 }, (_, row) => `A-${row === 5 ? 4 : row};x`);
    const { duplicates, isUnique } = columnOf(await inspect(csv([...rows, 'A-2999;x'])), 'SKU');
    assert.deepEqual([isUnique, duplicates.isExact], [false, false]);
    assert.ok(duplicates.count >= 1, String(duplicates.count));
    assert.deepEqual(duplicates.examples, [{ value: 'A-4', rows: [6, 7] }]);
    const late = columnOf(
      await inspect(csv([...Array.from({ length: 3_000 }, (_, row) => `B-${row};x`), 'B-2999;x'])),
      'SKU',
    );
    assert.deepEqual([late.isUnique, late.duplicates.isExact, late.duplicates.count >= 1], [false, false, true]);
  });
});

describe('an answer that a part of a file has given', () => {
  it('says of how many values and rows', async () => {
    const rows = Array.from({ length: 900 }, (_, row) => `A-${row};Rad > Teil ${row}`);
    const found = await inspect(csv(rows));
    const { path } = columnOf(found, 'Kategorie');
    assert.match(path?.reason ?? '', /Judged by 200 of its 900 different values\.$/);
    assert.match(found.format.headerRow.reason, /Judged by the first 200 rows\.$/);
  });

  it('says nothing of it in a file that was looked at as a whole', async () => {
    const found = await inspect(csv(Array.from({ length: 20 }, (_, row) => `A-${row};Rad > Teil ${row}`)));
    const reasons = [columnOf(found, 'Kategorie').path?.reason, found.format.headerRow.reason];
    assert.doesNotMatch(reasons.join(), /Judged/);
  });
});
