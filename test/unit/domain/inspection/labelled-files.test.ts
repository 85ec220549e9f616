/** Inspections of 660 generated files of shops in sixteen countries, whose answers are known. */
import assert from 'node:assert/strict';
import { LABELLED_FILES, labelledFile } from '../../../../bench/data/inspection/labelled-files.js';
import { type Scores, scoreFile } from '../../../../bench/data/inspection/score-labelled.js';
import { inspect } from './inspect-fixture.js';

const LEAST_RIGHT = 0.98;

describe('inspections of labelled files', () => {
  it('are right in 98 of 100, and never certain and wrong', async function () {
    this.timeout(120_000);
    const scores: Scores = new Map();
    for (let number = 0; number < LABELLED_FILES; number += 1) {
      const file = labelledFile(number);
      await scoreFile(scores, file, await inspect(file.bytes));
    }
    assert.ok(scores.size >= 13, [...scores.keys()].join());
    for (const [question, { right, all, certainAndWrong, wrong }] of scores) {
      const shown = `${question}: ${right} of ${all}\n${wrong.slice(0, 12).join('\n')}`;
      assert.equal(certainAndWrong, 0, shown);
      assert.ok(right >= all * LEAST_RIGHT, shown);
    }
  });
});
