import assert from 'node:assert/strict';
import perfHooks from 'node:perf_hooks';
import { Instruments } from '../../../src/platform/metrics/instruments.js';

const { monitorEventLoopDelay } = perfHooks;

describe('instruments', () => {
  let watches = 0;

  before(() => {
    // prom-client asks for it when it begins to measure the process.
    perfHooks.monitorEventLoopDelay = (options) => {
      watches++;
      return monitorEventLoopDelay(options);
    };
  });

  after(() => {
    perfHooks.monitorEventLoopDelay = monitorEventLoopDelay;
  });

  it('measure the process once, however many sets of them it has', async () => {
    const sets = Array.from({ length: 10 }, () => new Instruments());

    assert.ok(watches <= 1, `the event loop is watched ${watches} times`);
    for (const set of sets) {
      const names = (await set.snapshot()).map(({ name }) => name);
      assert.ok(names.includes('nodejs_eventloop_lag_seconds') && names.includes('nodejs_gc_duration_seconds'));
      assert.equal(new Set(names).size, names.length);
    }
  });

  it('count for themselves', async () => {
    const [one, other] = [new Instruments(), new Instruments()];
    one.counter('seen_total', 'What was seen', []).inc();

    assert.ok((await one.snapshot()).some(({ name }) => name === 'seen_total'));
    assert.ok(!(await other.snapshot()).some(({ name }) => name === 'seen_total'));
  });
});
