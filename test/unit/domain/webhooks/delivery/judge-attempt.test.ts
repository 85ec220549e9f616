import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  judgeAttempt,
  type MadeAttempt,
  type Round,
} from '../../../../../src/domain/webhooks/delivery/judge-attempt.js';
import { retryAfterMs } from '../../../../../src/domain/webhooks/delivery/retry-after.js';

const now = Date.parse('2026-11-21T10:00:00Z');
const round = { attempts: 1, scheduleMs: [0, 5_000, 300_000], now, random: 0 } satisfies Round;

function answered(statusCode: number, retryAfter: string | null = null): MadeAttempt {
  return { kind: 'answered', statusCode, retryAfter, response: '', durationMs: 1 };
}

function failed(failure: 'time-out' | 'dns' | 'blocked'): MadeAttempt {
  return { kind: 'failed', failure, message: failure, durationMs: 1 };
}

const delayOf = (result: MadeAttempt, over: Partial<Round> = {}) => {
  const { delivery } = judgeAttempt(result, { ...round, ...over });
  return delivery.status === 'PENDING' ? delivery.delayMs : delivery.status;
};

describe('the outcome of an attempt', () => {
  it('is delivered with any 2xx', () => {
    for (const status of [200, 201, 202, 204, 299]) assert.equal(delayOf(answered(status)), 'DELIVERED');
  });

  it('is dead at once with 410, which says that the endpoint is gone', () => {
    const { delivery, gone } = judgeAttempt(answered(410), round);
    assert.deepEqual([delivery.status, gone], ['DEAD', true]);
  });

  it('follows the schedule with redirects, other 4xx and 5xx, and when nothing was reached', () => {
    for (const status of [301, 302, 307, 400, 401, 404, 418, 500, 501]) assert.equal(delayOf(answered(status)), 5_000);
    assert.equal(delayOf(failed('dns')), 5_000);
    assert.equal(delayOf(failed('blocked')), 5_000);
    assert.equal(delayOf(answered(500), { attempts: 2 }), 300_000);
  });

  it('waits a minute at least after a time-out, 502 or 504', () => {
    for (const result of [failed('time-out'), answered(502), answered(504)]) {
      assert.equal(delayOf(result), 60_000);
      assert.equal(delayOf(result, { attempts: 2 }), 300_000);
    }
  });

  it('waits as long as 429 and 503 ask for, ten hours at most, and pauses the endpoint', () => {
    for (const status of [429, 503]) {
      assert.equal(delayOf(answered(status, '120')), 120_000);
      assert.equal(judgeAttempt(answered(status, '120'), round).pauseMs, 120_000);
      assert.equal(delayOf(answered(status, 'Sat, 21 Nov 2026 10:02:00 GMT')), 120_000);
      assert.equal(delayOf(answered(status, '999999')), 36_000_000);
      assert.equal(delayOf(answered(status, '1')), 5_000);
      assert.equal(delayOf(answered(status)), 5_000);
      assert.equal(judgeAttempt(answered(status), round).pauseMs, 5_000);
    }
  });

  it('is dead when the schedule has ended', () => {
    assert.equal(delayOf(answered(500), { attempts: 3 }), 'DEAD');
    assert.equal(delayOf(answered(429, '5'), { attempts: 3 }), 'DEAD');
    assert.equal(delayOf(answered(200), { attempts: 3 }), 'DELIVERED');
  });

  it('comes up to a fifth later than the schedule says, never sooner', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.double({ min: 0, max: 1, noNaN: true }), (status, random) => {
        const plain = delayOf(answered(status));
        const jittered = delayOf(answered(status), { random });
        if (typeof plain === 'string' || typeof jittered === 'string') return plain === jittered;
        return jittered >= plain && jittered <= Math.ceil(plain * 1.2);
      }),
    );
  });
});

describe('Retry-After', () => {
  it('is seconds or a date; what is past is now, what is neither is nothing', () => {
    assert.equal(retryAfterMs('7', now), 7_000);
    assert.equal(retryAfterMs(' 0 ', now), 0);
    assert.equal(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now), 3_600_000);
    assert.equal(retryAfterMs('Saturday, 21-Nov-26 11:00:00 GMT', now), 3_600_000);
    assert.equal(retryAfterMs('Fri, 20 Nov 2026 11:00:00 GMT', now), 0);
    for (const text of ['-5', '1.5', 'soon', '', '2030']) {
      assert.equal(retryAfterMs(text, now), text === '2030' ? 2_030_000 : null, text);
    }
  });
});
