import assert from 'node:assert/strict';
import { checkWindow } from '../../../../src/domain/jobs/chunks/window.js';
import { InvariantViolation } from '../../../../src/domain/kernel/invariant.js';
import { checkChunk } from '../../../../src/domain/outcomes/check-chunk.js';
import type { Outcome } from '../../../../src/domain/outcomes/model/chunk-result.js';

const CHUNK = { job_id: 'j1', idx: 4, wave: 0, outcomes: null, row_count: 7 };
const DEFERRED = { ...CHUNK, wave: 1, outcomes: 'c-u-e--' };
/** The number of the last wave. */
const LAST_WAVE = 100;

describe('the check of a chunk', () => {
  it('passes one outcome a row, and a reason for each that failed', () => {
    assert.equal(checkChunk(CHUNK, result('cunxed-')), 'cunxed-');
  });

  it('passes a later wave that decides what was left to it, and joins it with the waves before', () => {
    assert.equal(checkChunk(DEFERRED, result('-c-e---')), 'ccuee--');
    assert.equal(checkChunk({ ...DEFERRED, wave: LAST_WAVE }, result('-c-e-eu')), 'ccueeeu');
  });

  for (const [what, chunk, outcomes, message] of [
    ['a row without an outcome', CHUNK, 'cunxed', 'job j1, chunk 4: 7 rows have 6 outcomes'],
    ['an outcome without a row', CHUNK, 'cunxed-c', 'job j1, chunk 4: 7 rows have 8 outcomes'],
    ['an outcome that is none', CHUNK, 'cunxe?-', 'job j1, chunk 4: 7 rows are counted as 6'],
    ['a second outcome of a row', DEFERRED, 'ec-----', 'a row has an outcome of an earlier pass, and another'],
    ['passes of different rows', { ...DEFERRED, outcomes: 'c-u-e' }, '-c-----', '5 rows had an outcome'],
    ['a row deferred to a pass that never comes', { ...DEFERRED, wave: LAST_WAVE }, '-c-e--c', '1 rows are deferred'],
  ] as const) {
    it(`finds ${what}`, () => {
      assert.throws(() => checkChunk(chunk, result(outcomes)), violation(message));
    });
  }

  it('finds a failed row without a reason, and a reason without a failed row', () => {
    const { outcomes, failures } = result('cunxed-');
    const missing = failures.slice(1);
    assert.throws(
      () => checkChunk(CHUNK, { outcomes, failures: missing }),
      violation('2 rows failed, and 1 have a reason'),
    );
    const added = [...failures, { row: 1, key: null, problems: [] }];
    assert.throws(
      () => checkChunk(CHUNK, { outcomes, failures: added }),
      violation('2 rows failed, and 3 have a reason'),
    );
  });
});

describe('the check of a window', () => {
  const window = { ofJob: 6, ofSite: 12 };

  it('passes what there was room for, and one chunk in any case', () => {
    checkWindow('j1', { ofJob: 0, ofSite: 0 }, 6, window);
    checkWindow('j1', { ofJob: 4, ofSite: 10 }, 2, window);
    checkWindow('j1', { ofJob: 6, ofSite: 20 }, 1, window);
    checkWindow('j1', { ofJob: 6, ofSite: 20 }, 0, window);
  });

  it('finds more than a job may have, or a site', () => {
    assert.throws(() => checkWindow('j1', { ofJob: 5, ofSite: 5 }, 2, window), violation('job j1: 2 chunks'));
    assert.throws(() => checkWindow('j1', { ofJob: 0, ofSite: 11 }, 2, window), violation('11 of its site'));
  });
});

function result(outcomes: string) {
  const letters = [...outcomes] as Outcome[];
  const failures = letters.flatMap((letter, index) =>
    letter === 'e' || letter === 'd' ? [{ row: index + 1, key: null, problems: [] }] : [],
  );
  return { outcomes: letters, failures };
}

function violation(message: string) {
  return (error: unknown) => error instanceof InvariantViolation && error.message.includes(message);
}
