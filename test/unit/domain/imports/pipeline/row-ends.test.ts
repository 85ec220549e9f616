/** The status messages of ends, in the words that belong to no row, to one and to many. */
import assert from 'node:assert/strict';
import { abortedEnd, dryRunEnd, endOf } from '../../../../../src/domain/imports/pipeline/row-ends.js';

const counts = (created: number, failed: number) => ({ created, updated: 0, unchanged: 0, failed });
const firstPart = (message: string | undefined) => message?.split(/[;,] /)[0];

describe('what the end of a job says', () => {
  it('of the rows that failed', () => {
    assert.equal(endOf(counts(3, 0)).statusMessage, undefined);
    const ends = [endOf(counts(0, 1)), endOf(counts(0, 2)), endOf(counts(1, 1)), abortedEnd(1), abortedEnd(2)];
    assert.deepEqual(
      ends.map(({ statusMessage }) => firstPart(statusMessage)),
      ['the only row failed', 'all 2 rows failed', '1 of 2 rows failed', '1 row failed', '2 rows failed'],
    );
  });

  it('of a dry run', () => {
    const said = [counts(2, 0), counts(0, 1), counts(0, 2), counts(1, 1)].map(
      (one) => /nothing was written, and ([^,]*)/.exec(dryRunEnd(one).statusMessage ?? '')?.[1],
    );
    assert.deepEqual(said, [
      'no row would fail',
      'the only row would fail',
      'all 2 rows would fail',
      '1 of 2 rows would fail',
    ]);
  });
});
