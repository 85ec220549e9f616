/** Readings of files with one pollution each, by what their inspections say. `npm run bench -- --only inspect` compares them with others. */
import assert from 'node:assert/strict';
import { type PollutedFile, pollutedFiles } from '../../../../bench/data/pollution/polluted-files.js';
import { readPolluted } from '../../../../bench/data/pollution/read-polluted.js';
import { scoreReading } from '../../../../bench/data/pollution/score-reading.js';

/** Of 10, for the mean of a kind; what is less is described in docs/run/performance.md. */
const LEAST = 9.9;
const LEAST_OF_KIND: Readonly<Record<string, number>> = {
  delimiter: 9.6,
  escapes: 9.5,
  'extra quote': 9.3,
  header: 9.1,
};

describe('polluted files', () => {
  it('are read by what their inspections say', async function () {
    this.timeout(60_000);
    const scores = new Map<string, number[]>();
    for (const file of pollutedFiles()) {
      const score = scoreReading(file, await readPolluted(file.bytes));
      scores.set(file.kind, [...(scores.get(file.kind) ?? []), score]);
    }
    for (const [kind, all] of scores) {
      const mean = all.reduce((sum, score) => sum + score, 0) / all.length;
      assert.ok(mean >= (LEAST_OF_KIND[kind] ?? LEAST), `${kind}: ${mean}`);
    }
  });

  it('are scored by what was read, so that a reading which lacks something scores less', () => {
    const [file] = pollutedFiles() as [PollutedFile];
    const { header, records } = file;
    assert.equal(scoreReading(file, { header, records }), 10);
    assert.equal(scoreReading(file, null), 0);
    assert.equal(scoreReading(file, { header: [], records }), 7);
    const oneCell = records.map((cells) => [cells.join(',')]);
    assert.ok(scoreReading(file, { header, records: oneCell }) < 5);
    assert.ok(scoreReading(file, { header, records: [...records, ...records] }) < 9);
  });
});
