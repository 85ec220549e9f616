/** Inspections of labelled files of each kind, beside those of other kinds whose columns have like names. */
import assert from 'node:assert/strict';
import { kindFiles } from '../../../../bench/data/inspection/kind-files.js';
import { inspect } from './inspect-fixture.js';

const LEAST_RIGHT = 0.98;

describe('the kind of files', () => {
  it('is right in 98 of 100 where the file decides it, and never certain and wrong', async function () {
    this.timeout(60_000);
    const files = kindFiles();
    const wrong: string[] = [];
    const certainAndWrong: string[] = [];
    let decided = 0;
    let right = 0;
    for (const { name, format, bytes, kind } of files) {
      const found = (await inspect(bytes, { format })).kind;
      const isOpen = found.verdict === 'ambiguous';
      const isRight = kind === 'ambiguous' ? isOpen : !isOpen && found.value === kind;
      if (kind !== 'ambiguous') decided += 1;
      if (isRight && kind !== 'ambiguous') right += 1;
      const shown = `${name}: ${found.value} (${found.verdict}) instead of ${kind}`;
      if (!isRight) wrong.push(shown);
      if (!isRight && found.verdict === 'certain') certainAndWrong.push(shown);
    }
    assert.ok(decided > 200, String(decided));
    assert.deepEqual(certainAndWrong, []);
    assert.ok(right >= decided * LEAST_RIGHT, `${right} of ${decided}\n${wrong.join('\n')}`);
  });
});
