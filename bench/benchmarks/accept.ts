/** How many small bulk requests the API accepts in a second, and how long the slowest wait. */
import { Pool } from 'undici';
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { inLanes } from '../measure/in-lanes.js';
import { resultOf } from '../measure/result.js';
import { percentile } from '../measure/statistics.js';
import { startChild } from '../reference/child-program.js';
import { openClient } from '../world/api-client.js';
import { fillSite } from '../world/fill-site.js';
import { allJobsEnd, emptyCatalogAndJobs, INSERT_PATH, smallBodies } from '../world/small-jobs.js';
import { withWorld } from '../world/start-world.js';

const NAME = 'accept';
const BARE_KOA = new URL('../reference/bare-koa.js', import.meta.url);
const CONNECTIONS = 64;
const REQUESTS = 6_000;
const QUICK_REQUESTS = 1_000;
const RUNS = 3;

interface Load {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

export const accept: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async ({ system, db, memory, profiled }): Promise<BenchmarkResult[]> => {
      const { quick, runs = RUNS, say } = options;
      const bodies = smallBodies(quick ? QUICK_REQUESTS : REQUESTS);
      const client = openClient(system.credentials, CONNECTIONS);
      await db.query(
        'CREATE TABLE bare_request (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body jsonb NOT NULL)',
      );
      const bare = startChild<{ port: number }>(BARE_KOA, [system.databaseUrl]);
      const { port } = await bare.message(() => true);
      const barePool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
      try {
        await fillSite(client);
        const ours = async (): Promise<Load> => {
          await emptyCatalogAndJobs(db);
          const send = async (body: string) => {
            await client.postText(INSERT_PATH, body);
          };
          const load = await profiled(() => loadWith(bodies, send));
          // What was accepted must not take the machine from the other side.
          await allJobsEnd(db);
          say(`${NAME}: ${describe(load)}`);
          return load;
        };
        const theirs = async (): Promise<Load> => {
          await db.query('TRUNCATE bare_request');
          await db.query('CHECKPOINT');
          const load = await loadWith(bodies, (body) => postBare(barePool, body));
          say(`${NAME}: bare Koa ${describe(load)}`);
          return load;
        };
        await theirs();
        await ours();
        const loads: Load[] = [];
        const bareLoads: Load[] = [];
        await alternate(
          runs,
          async () => loads.push(await ours()),
          async () => bareLoads.push(await theirs()),
        );
        const what = `${bodies.length.toLocaleString('en')} requests of 10 rows, ${CONNECTIONS} connections`;
        const common = { what, peaks: memory.peaks() };
        return [
          resultOf(options, {
            ...{ ...common, name: NAME, unit: 'requests/s', aim: { value: 0.4, is: 'at least' } },
            figures: loads.map(({ requestsPerSecond }) => requestsPerSecond),
            references: bareLoads.map(({ requestsPerSecond }) => requestsPerSecond),
          }),
          resultOf(options, {
            ...{ ...common, name: `${NAME} p99`, unit: 'ms', aim: null },
            figures: loads.map(({ p99Ms }) => p99Ms),
            references: bareLoads.map(({ p99Ms }) => p99Ms),
          }),
        ];
      } finally {
        await bare.stop();
        await Promise.all([client.destroy(), barePool.destroy()]);
      }
    }),
};

async function loadWith(bodies: readonly string[], send: (body: string) => Promise<void>): Promise<Load> {
  const latencies: number[] = [];
  const start = performance.now();
  await inLanes(bodies, CONNECTIONS, async (body) => {
    const sentAt = performance.now();
    await send(body);
    latencies.push(performance.now() - sentAt);
  });
  const seconds = (performance.now() - start) / 1000;
  return { requestsPerSecond: bodies.length / seconds, p99Ms: percentile(latencies, 99) };
}

async function postBare(pool: Pool, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await pool.request({ method: 'POST', path: '/', headers, body });
  await response.body.dump();
  if (response.statusCode !== 202) throw new Error(`the bare Koa answered ${response.statusCode}`);
}

function describe({ requestsPerSecond, p99Ms }: Load): string {
  return `${Math.round(requestsPerSecond)} requests/s, p99 ${Math.round(p99Ms)} ms`;
}
