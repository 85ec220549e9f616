/** Whether it costs anything to send all at once: a burst into one site of a new system, beside clients that each wait. */
import { atLeast, type Benchmark, type BenchmarkOptions, type BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { openClient } from '../world/api-client.js';
import { fillSite } from '../world/fill-site.js';
import { createSmallJobLoad, describeLoad } from '../world/small-job-load.js';
import { insertsOf, sendAndWait, sendSmall } from '../world/small-jobs.js';
import { withNewWorld } from '../world/with-world.js';

const NAME = 'burst';
const JOBS = 400;
const QUICK_JOBS = 300;
const BURST = { connections: 64, send: sendSmall };
const WAITING = { connections: 8, send: sendAndWait };
const RUNS = 3;
const END_WITHIN_MS = 120_000;
const QUICK_END_WITHIN_MS = 8_000;

export const burst: Benchmark = {
  name: NAME,
  run: async (options): Promise<BenchmarkResult[]> => {
    const { quick, runs = quick ? 1 : RUNS } = options;
    let peaks: Readonly<Record<string, number>> = {};
    let allEnded = true;
    const measured = await alternate(
      runs,
      async () => {
        const found = await runOnNewSystem(options, 'burst', BURST);
        peaks = greater(peaks, found.peaks);
        allEnded &&= found.allEnded;
        return found.perSecond;
      },
      async () => (await runOnNewSystem(options, 'eight that wait', WAITING)).perSecond,
    );
    const what = `${jobsOf(options)} jobs at once on a new system, beside ${WAITING.connections} clients that wait${allEnded ? '' : '; not all ended in time'}`;
    return [resultOf(options, { name: NAME, what, unit: 'jobs/s', aim: atLeast(1), peaks, ...measured })];
  },
};

function jobsOf({ quick }: BenchmarkOptions): number {
  return quick ? QUICK_JOBS : JOBS;
}

interface Found {
  readonly perSecond: number;
  readonly allEnded: boolean;
  readonly peaks: Readonly<Record<string, number>>;
}

/** No job of items has run on it before, and nothing has been analyzed unless autovacuum comes by. */
function runOnNewSystem(options: BenchmarkOptions, called: string, sending: typeof BURST): Promise<Found> {
  return withNewWorld(options, async (world) => {
    const client = openClient(world.system.credentials, sending.connections);
    try {
      await fillSite(client);
      const load = createSmallJobLoad(world, {
        ...sending,
        requestsFrom: (first, count) => insertsOf(client, count, first),
        endWithinMs: options.quick ? QUICK_END_WITHIN_MS : END_WITHIN_MS,
      });
      const { ended, allEnded, ...rest } = await world.profiled(() => load.run(jobsOf(options)));
      options.say(`${NAME}: ${called}: ${describeLoad({ ended, allEnded, ...rest })}`);
      return { perSecond: ended.perSecond, allEnded, peaks: world.memory.peaks() };
    } finally {
      await client.destroy();
    }
  });
}

function greater(some: Readonly<Record<string, number>>, others: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(others).map(([name, peak]) => [name, Math.max(peak, some[name] ?? 0)]));
}
