/** How many workers a group should have: rules for any input, and a simulated day. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type GroupMeasured, type GroupState, wantedWorkers } from '../../../src/workers/maintenance/wanted-workers.js';
import { DAY_SECONDS, SCENARIOS, simulateDay } from '../../support/models/simulated-day.js';

const MINUTE = 60_000;

const amount = fc.double({ min: 0, max: 10_000, noNaN: true });
const measured = fc.record({
  workers: fc.integer({ min: 0, max: 50 }),
  slots: fc.integer({ min: 1, max: 100 }),
  arrival: amount,
  due: amount,
  parallel: amount,
  slowness: fc.option(fc.double({ min: 0.1, max: 20, noNaN: true }), { nil: null }),
  roomForWorkers: fc.double({ min: -5, max: 50, noNaN: true }),
});

const idle: GroupMeasured = {
  ...{ at: 0, workers: 1, slots: 4, arrival: 0, due: 0, parallel: 1_000, slowness: 1, roomForWorkers: 100 },
};

describe('how many workers a group should have', () => {
  it('is one at least, and never more than the work, its parallelism and the connections ask for', () => {
    fc.assert(
      fc.property(measured, (given) => {
        const { wanted, unlimited, limitedBy } = wantedWorkers({ at: 0, ...given }, null);
        const byWork = Math.max(1, Math.ceil(Math.max(given.arrival / 0.7, given.due / 60) / given.slots));
        assert.equal(unlimited, byWork);
        assert.ok(wanted >= 1 && wanted <= byWork);
        assert.ok(wanted <= Math.max(1, Math.ceil(given.parallel / 0.7 / given.slots)));
        assert.ok(wanted <= Math.max(1, given.workers + Math.max(0, given.roomForWorkers)));
        assert.equal(limitedBy === null, wanted === byWork, 'the answer names what limits it, and only then');
      }),
    );
  });

  it('goes up at once, and down by one per five minutes, whatever was measured', () => {
    const series = fc.array(fc.record({ passed: fc.integer({ min: 1_000, max: 10 * MINUTE }), given: measured }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(series, (steps) => {
        let at = 0;
        let state: GroupState | null = null;
        let changedAt = 0;
        for (const { passed, given } of steps) {
          at += passed;
          const before: GroupState | null = state;
          const answer = wantedWorkers({ at, ...given }, state);
          state = answer.state;
          if (before === null) changedAt = at;
          else {
            const fall = before.wanted - answer.wanted;
            assert.ok(fall <= 1);
            if (fall === 1) assert.ok(at - changedAt >= 5 * MINUTE);
            if (fall !== 0) changedAt = at;
          }
        }
      }),
    );
  });

  it('does not fall when more arrives or more is due', () => {
    fc.assert(
      fc.property(measured, amount, amount, (given, more, later) => {
        const less = wantedWorkers({ at: 0, ...given }, null).wanted;
        const over = { arrival: given.arrival + more, due: given.due + later };
        assert.ok(wantedWorkers({ at: 0, ...given, ...over }, null).wanted >= less);
      }),
    );
  });

  it('is limited by what may run at once: the ordered jobs of one tenant do not scale the fleet', () => {
    const { wanted, unlimited, limitedBy } = wantedWorkers({ ...idle, due: 100_000, parallel: 6 }, null);
    assert.deepEqual([wanted, limitedBy], [3, 'parallelism']);
    assert.equal(unlimited, 417);
  });

  it('is limited by the connections that Postgres has left', () => {
    const { wanted, limitedBy } = wantedWorkers({ ...idle, workers: 2, due: 10_000, roomForWorkers: 1.5 }, null);
    assert.deepEqual([wanted, limitedBy], [3, 'connections']);
  });

  it('is limited by the database where added workers have only made all of them slower', () => {
    const busy = { ...idle, due: 10_000 };
    const two = wantedWorkers({ ...busy, workers: 2, slowness: 1 }, null);
    const added = wantedWorkers({ ...busy, at: 10_000, workers: 6, slowness: 1 }, two.state);
    assert.equal(added.limitedBy, null);
    const slow = wantedWorkers({ ...busy, at: 140_000, workers: 6, slowness: 2.9 }, added.state);
    assert.equal(slow.limitedBy, 'database');
    assert.equal(slow.state.ceiling?.workers, 3);
    // Where all are as fast as before, nothing limits them.
    const fast = wantedWorkers({ ...busy, at: 140_000, workers: 6, slowness: 1.1 }, added.state);
    assert.equal(fast.limitedBy, null);
  });
});

describe('over a simulated day', () => {
  for (const scenario of SCENARIOS) {
    it(`${scenario.name}: neither starves nor flaps`, () => {
      const day = simulateDay(scenario);
      const changes = day.filter(({ wanted }, nth) => nth > 0 && wanted !== day[nth - 1]?.wanted).length;
      const reversals = countReversals(day.map(({ wanted }) => wanted));
      assert.equal(day.length, DAY_SECONDS / 5);
      assert.ok(reversals <= scenario.reversalsAtMost, `it turned ${reversals} times in ${changes} changes`);
      const longest = Math.max(...day.map(({ waitSeconds }) => waitSeconds));
      assert.ok(longest <= scenario.waitAtMost, `work waited for ${Math.round(longest)} s`);
      const end = day.at(-1);
      assert.ok(end !== undefined && end.backlog < scenario.leftAtMost, `${end?.backlog} slot-seconds are left`);
      for (const { by, most } of scenario.limits ?? []) {
        const limited = day.filter((one) => one.limitedBy === by);
        assert.notEqual(limited.length, 0, `it is limited by ${by} at some time`);
        assert.ok((limited.at(-1)?.wanted ?? 0) <= most);
      }
    });
  }
});

/** How often it goes up after it went down, or the other way round. */
function countReversals(series: readonly number[]): number {
  let reversals = 0;
  let direction = 0;
  for (let nth = 1; nth < series.length; nth++) {
    const next = Math.sign((series[nth] ?? 0) - (series[nth - 1] ?? 0));
    if (next === 0) continue;
    if (direction !== 0 && next !== direction) reversals++;
    direction = next;
  }
  return reversals;
}
