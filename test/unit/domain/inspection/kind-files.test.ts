/** Inspections of labelled files of each kind, beside those of other kinds whose columns have like names. */
import assert from 'node:assert/strict';
import { scoreKinds } from '../../../../bench/data/inspection/kind-files.js';
import { inspect } from './inspect-fixture.js';

const LEAST_RIGHT = 0.98;

describe('the kind of files', () => {
  it('is right in 98 of 100 where the file decides it, and never certain and wrong', async function () {
    this.timeout(60_000);
    const { decided, right, wrong, certainAndWrong } = await scoreKinds(({ bytes, format }) =>
      inspect(bytes, { format }),
    );
    assert.ok(decided > 200, String(decided));
    assert.deepEqual(certainAndWrong, []);
    assert.ok(right >= decided * LEAST_RIGHT, `${right} of ${decided}\n${wrong.join('\n')}`);
  });
});
