import assert from 'node:assert/strict';
import { InvariantViolation, invariant, isCurrentToken } from '../../../../src/domain/kernel/invariant.js';

describe('an invariant', () => {
  it('says nothing while it holds', () => {
    invariant(true, 'job 1', () => assert.fail('nothing is to be said'));
  });

  it('fails with an error that names the job', () => {
    assert.throws(() => invariant(false, 'job 1', () => 'rows are missing'), {
      name: 'InvariantViolation',
      message: 'job 1: rows are missing',
    });
  });
});

describe('a fencing token', () => {
  it('is current where the row has the same, and stale where the row has a higher one', () => {
    assert.equal(isCurrentToken('job 1', 3, 3), true);
    assert.equal(isCurrentToken('job 1', 3, 4), false);
  });

  it('never falls', () => {
    assert.throws(() => isCurrentToken('job 1', 4, 3), InvariantViolation);
  });
});
