import assert from 'node:assert/strict';
import { nextAfterFailure, nextRun, nextRuns, scheduleProblem } from '../../../../src/domain/feeds/model/schedule.js';

const NIGHTLY = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' };

function timesFrom(schedule: typeof NIGHTLY, from: string, most: number): string[] {
  return nextRuns(schedule, new Date(from), most).map((at) => at.toISOString());
}

describe('the schedule of a feed', () => {
  it('runs once in the night in which 02:30 does not exist, when the clocks change', () => {
    assert.deepEqual(timesFrom(NIGHTLY, '2026-03-28T00:00:00Z', 3), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('is moved to no time beside one that follows within the hour, and runs else as often as on other days', () => {
    for (const [cron, times] of [
      ['15 1-3 * * *', ['00:15', '01:15']],
      ['20 * * * *', ['00:20', '01:20', '02:20']],
      ['0,30 2 * * *', ['01:00']],
      ['30 2,4 * * *', ['01:00', '02:30']],
      ['0 2,4 * * *', ['01:00', '02:00']],
    ] as const) {
      const schedule = { cron, timeZone: 'Europe/Berlin' };
      const found = nextRuns(schedule, new Date('2026-03-29T00:00:00Z'), times.length + 1);
      assert.deepEqual(
        found.filter((at) => at < new Date('2026-03-29T03:00:00Z')).map((at) => at.toISOString().slice(11, 16)),
        times,
        cron,
      );
    }
  });

  it('runs once in the night in which 02:30 comes twice, at the first', () => {
    assert.deepEqual(timesFrom(NIGHTLY, '2026-10-24T00:00:00Z', 3), [
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('runs once in these nights from whichever moment of them the next time is asked for', () => {
    for (const [night, first, next] of [
      ['2026-03-29', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
      ['2026-10-25', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ] as const) {
      for (let minute = 0; minute < 240; minute++) {
        const from = new Date(Date.parse(`${night}T00:00:00Z`) + minute * 60_000);
        const expected = from < new Date(first) ? first : next;
        assert.equal(nextRun(NIGHTLY, from)?.toISOString(), expected, from.toISOString());
      }
    }
  });

  it('runs once in a night in which the clocks skip the last hour of the day, or the first', () => {
    for (const [cron, timeZone, around, moved] of [
      ['30 23 * * *', 'America/Nuuk', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
      ['0 23 28 * *', 'America/Scoresbysund', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
      ['30 23 28 3 *', 'America/Nuuk', '2025-07-01T12:00:00Z', '2026-03-29T01:00:00.000Z'],
      ['30 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ] as const) {
      const schedule = { cron, timeZone };
      assert.equal(nextRun(schedule, new Date(around))?.toISOString(), moved, `${cron} ${timeZone}`);
      const [, after] = nextRuns(schedule, new Date(around), 2);
      assert.ok(after !== undefined && after.getTime() - Date.parse(moved) > 20 * 3_600_000, after?.toISOString());
    }
  });

  it('knows leap days', () => {
    assert.deepEqual(timesFrom({ cron: '0 0 29 2 *', timeZone: 'UTC' }, '2026-01-01T00:00:00Z', 2), [
      '2028-02-29T00:00:00.000Z',
      '2032-02-29T00:00:00.000Z',
    ]);
  });

  it('says what is wrong with it', () => {
    for (const [cron, message] of [
      ['61 * * * *', /Invalid value for minute: 61.*five parts/],
      ['* * * *', /five/],
      ['* * * * * *', /^has 6 parts; expected five parts/],
      ['a b c d e', /illegal characters/],
      ['', /^is empty; expected five parts/],
      ['0 0 30 2 *', /never comes/],
      ['0 0 0 * *', /Invalid value for day: 0;/],
      ['0 0 1 13 *', /Invalid value for month: 13;/],
      ['@reboot', /^@reboot is not known; expected five parts/],
      ['@', /^@ is not known; expected five parts/],
    ] as const) {
      const problem = scheduleProblem({ cron, timeZone: 'UTC' });
      assert.equal(problem?.member, 'cron', cron);
      assert.match(problem?.message ?? '', message);
    }
    for (const timeZone of ['Mars/Base', '+02:00', '', ' ']) {
      const problem = scheduleProblem({ cron: '0 1 * * *', timeZone });
      assert.deepEqual([problem?.member, /Europe\/Berlin/.test(problem?.message ?? '')], ['timeZone', true], timeZone);
    }
    assert.equal(scheduleProblem(NIGHTLY), null);
  });

  it('is tried again soon after a failure, then in intervals that grow to a day, and for ever', () => {
    const now = new Date('2026-05-05T12:00:00Z');
    const minutes = Array.from({ length: 14 }, (_, index) => {
      const at = nextAfterFailure(NIGHTLY, index + 1, now);
      return at === null ? null : (at.getTime() - now.getTime()) / 60_000;
    });
    assert.deepEqual(minutes.slice(0, 7), [1, 5, 15, 30, 60, 120, 240]);
    assert.deepEqual(minutes.slice(9), [1_440, 1_440, 1_440, 1_440, 1_440]);
    const hourly = { cron: '2 * * * *', timeZone: 'UTC' };
    assert.equal(nextAfterFailure(hourly, 3, now)?.toISOString(), '2026-05-05T12:02:00.000Z', 'planned is sooner');
    assert.equal(nextAfterFailure(null, 1, now), null);
    const following = [1, 4, 5].map((failures) =>
      nextAfterFailure(null, failures, now, true)?.toISOString().slice(11, 16),
    );
    assert.deepEqual(following, ['12:01', '12:30', '13:00'], 'what follows imports is tried again without a schedule');
  });
});
