import assert from 'node:assert/strict';
import { judge } from '../../../../src/domain/jobs/failure/judge-failure.js';
import type { Failure } from '../../../../src/domain/jobs/model/failure.js';

const NONE = { attempts: 0, outages: 0, deaths: 0 };
const NOW = new Date('2026-11-22T12:00:00.000Z');
const STORE_IS_AWAY: Failure = { kind: 'outage', part: 'file store', lasting: true };
const LOST_CONNECTION: Failure = { kind: 'outage', part: 'database', lasting: false };
const DEATH: Failure = { kind: 'death', how: 'SIGKILL' };

describe('the decision about a failure', () => {
  it('spends an attempt on an internal error, and fails the job with the last one', () => {
    const error: Failure = { kind: 'error', reason: 'INTERNAL_ERROR' };
    assert.deepEqual(judge(NONE, error), { kind: 'again', counts: { attempts: 1 }, delayMs: 500, waits: null });
    const last = judge({ ...NONE, attempts: 7 }, error);
    assert.deepEqual([last.kind, last.kind === 'failed' && last.reason], ['failed', 'INTERNAL_ERROR']);
  });

  it('fails a job whose file is missing for that reason', () => {
    const last = judge({ ...NONE, attempts: 7 }, { kind: 'error', reason: 'FILE_MISSING' });
    assert.ok(last.kind === 'failed' && last.reason === 'FILE_MISSING');
    assert.match(last.cause, /no longer in the file store/);
  });

  it('spends no attempt on an outage, however long it lasts, and waits longer each time up to half a minute', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 1_000, 1_000_000].map((outages) => {
      const judgement = judge({ ...NONE, attempts: 7, outages }, STORE_IS_AWAY, NOW);
      assert.ok(judgement.kind === 'again');
      assert.deepEqual(judgement.counts, { outages: outages + 1 });
      return judgement.delayMs;
    });
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('says what a waiting job waits for, and until when', () => {
    const judgement = judge(NONE, STORE_IS_AWAY, NOW);
    assert.ok(judgement.kind === 'again');
    assert.match(judgement.waits ?? '', /the file store cannot be used.*next attempt: 2026-11-22T12:00:01\.000Z/);
  });

  it('takes what only one step meets again and again, while the part answers, for a failure of that step', () => {
    const kinds = [0, 19, 20].map((outages) => {
      const judgement = judge({ ...NONE, outages }, LOST_CONNECTION);
      return judgement.kind === 'again' ? Object.keys(judgement.counts) : judgement.kind;
    });
    assert.deepEqual(kinds, [['outages'], ['outages'], ['attempts']]);
  });

  it('counts the ends of a process in which nothing else ran, and fails the job with the third', () => {
    assert.deepEqual(judge(NONE, DEATH), { kind: 'counted', counts: { deaths: 1 } });
    assert.deepEqual(judge({ ...NONE, deaths: 1 }, DEATH), { kind: 'counted', counts: { deaths: 2 } });
    const last = judge({ ...NONE, deaths: 2 }, DEATH);
    assert.ok(last.kind === 'failed' && last.reason === 'WORKER_DIED');
    assert.match(last.cause, /ended the process that executed it \(SIGKILL\) each of 3 times/);
  });
});
