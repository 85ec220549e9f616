import assert from 'node:assert/strict';
import { duplicateProblem } from '../../../../../src/domain/imports/pipeline/superseded-rows.js';

describe('the problem of a row that lost', () => {
  it('names the row that stands and says why', () => {
    assert.deepEqual(duplicateProblem('SKU', 7, 'last').column, 'SKU');
    assert.match(duplicateProblem('SKU', 7, 'last').message, /row 7.*the last row with a key wins/);
    assert.match(duplicateProblem('SKU', 7, 'first').message, /row 7.*the first row with a key wins/);
  });
});
