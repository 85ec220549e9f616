import assert from 'node:assert/strict';
import { countOutcomes, OUTCOME } from '../../../../../src/domain/outcomes/model/chunk-result.js';

describe('the outcomes of a chunk', () => {
  it('are told apart by their letters', () => {
    assert.equal(new Set(Object.values(OUTCOME)).size, Object.keys(OUTCOME).length);
    assert.ok(Object.values(OUTCOME).every((letter) => letter.length === 1));
  });

  it('are counted: what was deleted as updated, what lost to another row as failed, what is put off not yet', () => {
    assert.deepEqual(countOutcomes('ccunxxeed-'), { created: 2, updated: 3, unchanged: 1, failed: 3 });
    assert.deepEqual(countOutcomes([]), { created: 0, updated: 0, unchanged: 0, failed: 0 });
    assert.deepEqual(countOutcomes([OUTCOME.created, OUTCOME.duplicate]), {
      created: 1,
      updated: 0,
      unchanged: 0,
      failed: 1,
    });
  });
});
