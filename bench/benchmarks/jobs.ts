/** How many jobs of ten rows go through in a second, beside jobs that do nothing in BullMQ itself. */
import { Queue } from 'bullmq';
import type { Benchmark, BenchmarkOptions, BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { inLanes } from '../measure/in-lanes.js';
import { resultOf } from '../measure/result.js';
import { bareConnection } from '../reference/bare-connection.js';
import { startChild } from '../reference/child-program.js';
import { openClient } from '../world/api-client.js';
import { fillSite } from '../world/fill-site.js';
import { allJobsEnd, emptyCatalogAndJobs, INSERT_PATH, smallBodies } from '../world/small-jobs.js';
import { type World, withWorld } from '../world/start-world.js';

const NAME = 'jobs';
const BARE_WORKER = new URL('../reference/bare-worker.js', import.meta.url);
const CONNECTIONS = 64;
const JOBS = 3_000;
const QUICK_JOBS = 500;
const RUNS = 3;
const BARE_QUEUE = 'bare-jobs';
/** An addBulk each; 100 make no difference. */
const JOBS_PER_ADD = 1_000;
/** About three seconds' worth, and the concurrency that was fastest of 8, 32 and 100. */
const BARE = { pg: { count: 4_000, concurrency: 32 }, redis: { count: 40_000, concurrency: 100 } };
const AIMS = { pg: 0.2, redis: 0.1 };

export const jobs: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { backend, quick, runs = RUNS, say } = options;
      const bodies = smallBodies(quick ? QUICK_JOBS : JOBS);
      await fillSite(world.client);
      const ours = async () => {
        const rate = await world.profiled(() => runSmallJobs(world, bodies));
        say(`${NAME}: ${Math.round(rate)} jobs/s`);
        return rate;
      };
      const theirs = async () => {
        const rate = await runBareJobs(world, options);
        say(`${NAME}: bare BullMQ ${Math.round(rate)} jobs/s`);
        return rate;
      };
      await ours();
      const measured = await alternate(runs, ours, theirs);
      const what = `${bodies.length.toLocaleString('en')} jobs of 10 rows`;
      const aim = { value: AIMS[backend], is: 'at least' } as const;
      return [resultOf(options, { name: NAME, what, unit: 'jobs/s', aim, peaks: world.memory.peaks(), ...measured })];
    }),
};

/** @returns jobs a second, from the first request's acceptance (`job.created_at`) until all jobs are seen COMPLETED */
async function runSmallJobs({ system, db }: World, bodies: readonly string[]): Promise<number> {
  await emptyCatalogAndJobs(db);
  const client = openClient(system.credentials, CONNECTIONS);
  try {
    await inLanes(bodies, CONNECTIONS, async (body) => {
      await client.postText(INSERT_PATH, body);
    });
    await allJobsEnd(db);
    const endedAt = Date.now();
    const { rows } = await db.query<{ first: Date }>('SELECT min(created_at) AS first FROM job');
    const seconds = (endedAt - (rows[0]?.first.getTime() ?? Number.NaN)) / 1000;
    return bodies.length / seconds;
  } finally {
    await client.destroy();
  }
}

/** @returns jobs a second, from the first addBulk until the worker, in a process of its own, has completed the last */
async function runBareJobs({ system, redisUrl }: World, { backend }: BenchmarkOptions): Promise<number> {
  const producing = bareConnection(system.databaseUrl, redisUrl);
  const { connection, prefix, backendFactory } = producing;
  const queue = new Queue(BARE_QUEUE, { connection, prefix }, backendFactory);
  const { count, concurrency } = BARE[backend];
  const addresses = redisUrl === undefined ? [system.databaseUrl] : [system.databaseUrl, redisUrl];
  const args = [BARE_QUEUE, String(count), String(concurrency), ...addresses];
  const worker = startChild<{ left: number }>(BARE_WORKER, args);
  try {
    await worker.message(() => true);
    const start = performance.now();
    for (let added = 0; added < count; added += JOBS_PER_ADD) {
      await queue.addBulk(
        Array.from({ length: JOBS_PER_ADD }, (_, index) => ({
          name: BARE_QUEUE,
          data: { number: added + index },
          opts: { removeOnComplete: true },
        })),
      );
    }
    await worker.message(({ left }) => left === 0);
    return count / ((performance.now() - start) / 1000);
  } finally {
    await worker.stop();
    await queue.close();
    await producing.close();
  }
}
