/** Adding up warnings: the same in whatever chunks and passes the rows are. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ChunkWarnings } from '../../../../db/models/job-chunk.js';
import { recordedWarnings, warningsOf } from '../../../../src/domain/outcomes/record-warnings.js';

const line = (rows: readonly number[], code = 'VALUE_TRIMMED') => ({
  ...{ code, column: 'SKU', rows },
  examples: rows.slice(0, 1).map((row) => [row, `row ${row}`] as const),
});
const counts = (updated: number) => ({ created: 0, updated, unchanged: 0, failed: 0 });
const rowSet = fc.uniqueArray(fc.integer({ min: 2, max: 400 }), { minLength: 1, maxLength: 60 });
const ascending = (rows: readonly number[]) => [...rows].sort((a, b) => a - b);

describe('the warnings of a chunk', () => {
  it('are the same whichever pass applies a row', () => {
    fc.assert(
      fc.property(rowSet, fc.integer({ min: 2, max: 400 }), (given, threshold) => {
        const rows = ascending(given);
        const once = recordedWarnings(null, { noted: [line(rows)], empty: ['Title'], decided: [] });
        let recorded: ChunkWarnings | null = null;
        for (const early of [true, false]) {
          const own = rows.filter((row) => row % 7 < threshold % 7 === early);
          const noted = own.length === 0 ? [] : [line(own)];
          recorded = recordedWarnings(recorded, { noted, empty: ['Title'], decided: [] });
        }
        const [one, two] = [once, recorded].map((all) => warningsOf(all, counts(500)));
        const exact = (warnings: typeof one) => warnings?.map(({ code, path, count }) => [code, path, count]);
        assert.deepEqual(exact(two), exact(one));
        assert.equal(two?.[0]?.count, rows.length);
        if (rows.length <= 20) assert.equal(two?.[0]?.rows, one?.[0]?.rows);
        assert.equal(two?.[0]?.example, one?.[0]?.example);
      }),
    );
  });

  it('name ranges of rows, the first twenty of them', () => {
    const rows = Array.from({ length: 30 }, (_, index) => 2 * index + 2);
    const shown = (own: readonly number[]) =>
      warningsOf(recordedWarnings(null, { noted: [line(own)], empty: [], decided: [] }), counts(1))?.[0];
    assert.equal(shown([2, 3, 4, 9])?.rows, '2-4, 9');
    const many = shown(rows);
    assert.deepEqual([many?.count, many?.rows], [30, `${rows.slice(0, 20).join(', ')}, …`]);
  });

  it('are none about ambiguous values of which another chunk tells how they are meant', () => {
    const open = { noted: [line([2], 'NUMBER_AMBIGUOUS')], empty: [], decided: [] };
    assert.equal(warningsOf(recordedWarnings(null, open), counts(1))?.length, 1);
    const ambiguous = { ...open, decided: ['SKU'] };
    assert.equal(warningsOf(recordedWarnings(null, ambiguous), counts(1)), null);
    assert.equal(recordedWarnings(null, undefined), null);
  });
});
