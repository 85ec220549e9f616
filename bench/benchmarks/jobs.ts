/**
 * Small jobs, accepted and carried out in one run: how many the API accepts in a second, how many end in a second, and
 * whether new tables that were never analyzed (`cold`) are as good as those of a system that has run for a while.
 */
import { atLeast, atMost, type Benchmark, type BenchmarkOptions, type BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import type { Sent } from '../measure/send-all.js';
import { runBareJobs } from '../reference/bare-jobs.js';
import { startBareRequests } from '../reference/bare-requests.js';
import { openClient } from '../world/api-client.js';
import { MIXTURE_SITES, mixtureOf } from '../world/mixture.js';
import { openShopSites } from '../world/shop-sites.js';
import { createSmallJobLoad, describeLoad, type Load } from '../world/small-job-load.js';
import type { World } from '../world/start-world.js';
import { analyzeAll, forgetStatistics, withoutAutovacuum } from '../world/statistics.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'jobs';
const CONNECTIONS = 64;
const RUNS = 3;
const SIZE = { jobs: 3_000, warmUpJobs: 600, endWithinMs: 90_000, bareJobs: { pg: 4_000, redis: 40_000 } };
const QUICK_SIZE = { jobs: 300, warmUpJobs: 60, endWithinMs: 12_000, bareJobs: { pg: 2_000, redis: 10_000 } };
const JOBS_AIM = { pg: 0.5, redis: 0.1 };

/** Of every measured run. */
interface Measurements {
  readonly cold: Load[];
  readonly warm: Load[];
  readonly bareRequests: Sent[];
  readonly bareJobs: number[];
}

export const jobs: Benchmark = {
  name: NAME,
  alsoNamed: ['accept', 'cold'],
  run: (options) => withWorld(options, async (world) => resultsOf(options, world, await measure(options, world))),
};

async function measure({ backend, quick, runs, say }: BenchmarkOptions, world: World): Promise<Measurements> {
  const { system, db, redisUrl } = world;
  const { databaseUrl } = system;
  const size = quick ? QUICK_SIZE : SIZE;
  const client = openClient(system.credentials, CONNECTIONS);
  const bare = await startBareRequests(db, databaseUrl, CONNECTIONS);
  const measured: Measurements = { cold: [], warm: [], bareRequests: [], bareJobs: [] };
  try {
    const sites = (await openShopSites(world, client, { prefix: NAME, count: MIXTURE_SITES })).map(
      (site) => site.client,
    );
    const bodies = mixtureOf(sites, size.jobs, 0).map(({ body }) => body);
    const load = createSmallJobLoad(world, {
      requestsFrom: (first, count) => mixtureOf(sites, count, first),
      connections: CONNECTIONS,
      endWithinMs: size.endWithinMs,
    });
    await load.empty();
    say(`${NAME}: first, not counted: ${describeLoad(await load.run(size.warmUpJobs))}`);
    await bare.send(bodies);
    await alternate(
      runs ?? (quick ? 1 : RUNS),
      async () => {
        const cold = await withoutAutovacuum(db, async () => {
          await load.empty();
          await forgetStatistics(db);
          return load.run(size.jobs);
        });
        say(`${NAME}: cold ${describeLoad(cold)}`);
        // With all that the run before has left: a system that has run for a while.
        await analyzeAll(db);
        const warm = await world.profiled(() => load.run(size.jobs));
        say(`${NAME}: warm ${describeLoad(warm)}`);
        measured.cold.push(cold);
        return measured.warm.push(warm);
      },
      async () => {
        const sent = await bare.send(bodies);
        say(`${NAME}: bare Koa ${Math.round(sent.perSecond)} requests/s, p99 ${Math.round(sent.p99Ms)} ms`);
        const rate = await runBareJobs({ databaseUrl, redisUrl, backend, count: size.bareJobs[backend] });
        say(`${NAME}: bare BullMQ ${Math.round(rate)} jobs/s`);
        measured.bareRequests.push(sent);
        return measured.bareJobs.push(rate);
      },
    );
    return measured;
  } finally {
    await bare.stop();
    await client.destroy();
  }
}

function resultsOf(options: BenchmarkOptions, { memory }: World, measured: Measurements): BenchmarkResult[] {
  const { cold, warm, bareRequests, bareJobs } = measured;
  const { jobs: count } = options.quick ? QUICK_SIZE : SIZE;
  const allEnded = [...cold, ...warm].every((load) => load.allEnded);
  const what = `${count.toLocaleString('en')} requests of 10 rows, ${CONNECTIONS} connections${allEnded ? '' : ', not all ended in time'}`;
  const peaks = memory.peaks();
  const accepted = warm.map((load) => load.accepted.perSecond);
  const completed = warm.map(({ ended }) => ended.perSecond);
  const bareAccepted = bareRequests.map(({ perSecond }) => perSecond);
  const bareP99 = bareRequests.map(({ p99Ms }) => p99Ms);
  const jobsAim = atLeast(JOBS_AIM[options.backend]);
  const latencies = { accept: warm.map((load) => load.accepted.p99Ms), jobs: warm.map(({ ended }) => ended.p99Ms) };
  const coldCompleted = cold.map(({ ended }) => ended.perSecond);
  return [
    { name: 'accept', unit: 'requests/s', figures: accepted, references: bareAccepted, aim: atLeast(0.4) },
    { name: 'accept p99', unit: 'ms', figures: latencies.accept, references: bareP99, aim: atMost(3) },
    { name: 'accept kept up', unit: 'jobs/s', figures: completed, references: accepted, aim: atLeast(0.8) },
    { name: NAME, unit: 'jobs/s', figures: completed, references: bareJobs, aim: jobsAim },
    { name: `${NAME} p99`, unit: 'ms', figures: latencies.jobs, references: [], aim: null },
    { name: 'cold', unit: 'jobs/s', figures: coldCompleted, references: completed, aim: atLeast(0.8) },
  ].map((each) => resultOf(options, { what, peaks, ...each }));
}
