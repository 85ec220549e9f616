/** Whether jobs are carried out as fast, and with as little work of the database, while many others wait. */
import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, type Benchmark, type BenchmarkOptions, type BenchmarkResult } from '../benchmark.js';
import { resultOf } from '../measure/result.js';
import { sendAll } from '../measure/send-all.js';
import { openClient } from '../world/api-client.js';
import { emptyCatalogAndJobs } from '../world/empty-tables.js';
import { jobsEnd } from '../world/job-rate.js';
import { layBacklog } from '../world/lay-backlog.js';
import { type Observed, observeWindow } from '../world/observe-window.js';
import { startRefill } from '../world/refill.js';
import { requireExact } from '../world/require-exact.js';
import { openShopSites, type ShopSite } from '../world/shop-sites.js';
import { insertOf, type SmallRequest, sendSmall, upsertOf } from '../world/small-jobs.js';
import type { World } from '../world/start-world.js';
import { withoutAutovacuum } from '../world/statistics.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'backlog';
const CONNECTIONS = 16;
const RUNS = 3;
/** Of the jobs of a site, laid or sent, one in so many is an ordered upsert. */
const UPSERT_EVERY = 10;
/** Jobs sent to get things going, in all and at least one a site: that many of a site may run. */
const RUNNING = 4;
const WARM_UP_WITHIN_MS = 180_000;
/** The window begins once so many jobs have ended, or when that takes too long. */
const ENDS_BEFORE = 20;
const POLL_EVERY_MS = 20;
const TIMES = { beforeMs: 10_000, windowMs: 10_000 };
const QUICK_TIMES = { beforeMs: 2_000, windowMs: 2_500 };

interface Case {
  readonly name: string;
  readonly sites: number;
  readonly waitingPerSite: number;
}

const FEW: Case = { name: '10', sites: 1, waitingPerSite: 10 };
const MANY: readonly Case[] = [
  { name: '10,000', sites: 1, waitingPerSite: 10_000 },
  { name: '100,000', sites: 1, waitingPerSite: 100_000 },
  { name: '1,000 × 100', sites: 1_000, waitingPerSite: 100 },
];
const QUICK_MANY: readonly Case[] = [
  { name: '10,000', sites: 1, waitingPerSite: 10_000 },
  { name: '100 × 100', sites: 100, waitingPerSite: 100 },
];

export const backlog: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, (world) =>
      withoutAutovacuum(world.db, async () => {
        const { quick, runs = quick ? 1 : RUNS, say } = options;
        const cases = [FEW, ...(quick ? QUICK_MANY : MANY)];
        const client = openClient(world.system.credentials, CONNECTIONS);
        const observed = new Map<Case, Observed[]>(cases.map((each) => [each, []]));
        try {
          const count = Math.max(...cases.map(({ sites }) => sites));
          const sites = await openShopSites(world, client, { prefix: NAME, count });
          await warmUp(world, sites);
          for (let run = 0; run < runs; run++) {
            // Each is early in some runs and late in others.
            for (const each of run % 2 === 0 ? cases : [...cases].reverse()) {
              const found = await world.profiled(() => observe(world, sites.slice(0, each.sites), each, quick));
              say(`${NAME}: ${each.name} waiting: ${describe(found)}`);
              observed.get(each)?.push(found);
            }
          }
          return resultsOf(options, world, observed);
        } finally {
          await client.destroy();
        }
      }),
    ),
};

function describe({ perSecond, buffersPerJob }: Observed): string {
  if (buffersPerJob === null) return 'no job ended';
  return `${perSecond.toFixed(1)} jobs/s, ${Math.round(buffersPerJob)} buffers a job`;
}

/** A job a site, so that none of them is the first to go by its site's definitions. */
async function warmUp({ db }: World, sites: readonly ShopSite[]): Promise<void> {
  await emptyCatalogAndJobs(db);
  await sendAll(
    sites.map(({ client }, number) => insertOf(client, number)),
    CONNECTIONS,
    sendSmall,
  );
  if (!(await jobsEnd(db, performance.now() + WARM_UP_WITHIN_MS))) throw new Error('a job a site has taken too long');
  await requireExact(db, sites.length);
}

async function observe(
  { system, client: { account }, db }: World,
  sites: readonly ShopSite[],
  { waitingPerSite }: Case,
  quick: boolean,
): Promise<Observed> {
  const { beforeMs, windowMs } = quick ? QUICK_TIMES : TIMES;
  await emptyCatalogAndJobs(db);
  const laid = sites.length * waitingPerSite;
  await layBacklog(db, { account, siteIds: sites.map(({ id }) => id), jobs: laid, upsertEvery: UPSERT_EVERY });
  await db.query('CHECKPOINT');
  const first = Array.from({ length: Math.max(RUNNING, sites.length) }, (_, number) => requestTo(sites, number));
  const refill = await startRefill(system.databaseUrl, (sent) => sendSmall(requestTo(sites, first.length + sent)));
  let refilled = 0;
  let observed: Observed;
  try {
    await sendAll(first, CONNECTIONS, sendSmall);
    for (
      const giveUpAt = performance.now() + beforeMs;
      refill.ended() < ENDS_BEFORE && performance.now() < giveUpAt;
    ) {
      await delay(POLL_EVERY_MS);
    }
    observed = await observeWindow(db, windowMs);
  } finally {
    refilled = await refill.stop();
  }
  await requireExact(db, laid + first.length + refilled, false);
  await emptyCatalogAndJobs(db);
  return observed;
}

/** The sites in turn; what kind of job each gets is as in the backlog. */
function requestTo(sites: readonly ShopSite[], number: number): SmallRequest {
  const site = sites[number % sites.length];
  if (site === undefined) throw new Error('there is no site');
  const turn = Math.floor(number / sites.length);
  return turn % UPSERT_EVERY === UPSERT_EVERY - 1 ? upsertOf(site.client, number) : insertOf(site.client, number);
}

function resultsOf(
  options: BenchmarkOptions,
  { memory }: World,
  observed: ReadonlyMap<Case, readonly Observed[]>,
): BenchmarkResult[] {
  const peaks = memory.peaks();
  const { windowMs } = options.quick ? QUICK_TIMES : TIMES;
  const rates = (of: Case) => (observed.get(of) ?? []).map(({ perSecond }) => perSecond);
  const buffers = (of: Case) => (observed.get(of) ?? []).flatMap(({ buffersPerJob }) => buffersPerJob ?? []);
  const results: BenchmarkResult[] = [];
  for (const each of observed.keys()) {
    if (each === FEW) continue;
    const name = `${NAME} ${each.name}`;
    const common = { what: `while ${each.name} wait, beside while 10 do; ${windowMs / 1000} s`, peaks };
    const rate = { name, unit: 'jobs/s', aim: atLeast(0.8), figures: rates(each), references: rates(FEW) };
    results.push(resultOf(options, { ...common, ...rate }));
    // Where no job has ended there are none of any.
    if (buffers(each).length === 0) continue;
    const work = { name: `${name} buffers`, unit: 'buffers/job', aim: null };
    results.push(resultOf(options, { ...common, ...work, figures: buffers(each), references: buffers(FEW) }));
  }
  return results;
}
