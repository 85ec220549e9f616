/** How long a client waits who is alone: for a job of ten rows, and for a file of 10,000. */
import { createReadStream, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { atMost, type Benchmark, type BenchmarkOptions, type BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { median, percentile } from '../measure/statistics.js';
import { runCopy } from '../reference/copy-stream.js';
import { emptyTables } from '../reference/item-copy.js';
import { startRoundTrips } from '../reference/round-trip.js';
import type { ApiClient } from '../world/api-client.js';
import { emptyCatalogAndJobs } from '../world/empty-tables.js';
import { requireExact } from '../world/require-exact.js';
import { insertsOf, sendAndWait } from '../world/small-jobs.js';
import type { World } from '../world/start-world.js';
import { withWorld } from '../world/with-world.js';
import { firstImport, requireCount } from './file-import.js';

const NAME = 'latency';
const JOBS = 300;
const QUICK_JOBS = 40;
const WARM_UP_JOBS = 20;
const FILE_ROWS = 10_000;
const RUNS = 5;
const QUICK_RUNS = 1;

export const latency: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const path = join(world.folder, 'items.csv');
      await writeCsv(path, FILE_ROWS);
      const copyPath = await firstImport(world, options, path, FILE_ROWS);
      return [...(await loneJobs(options, world)), await loneFiles(options, world, path, copyPath)];
    }),
};

/** One after another, each with its result. */
async function loneJobs(options: BenchmarkOptions, { client, db, system, redisUrl, memory, profiled }: World) {
  const { quick, runs = quick ? QUICK_RUNS : RUNS, say } = options;
  const count = quick ? QUICK_JOBS : JOBS;
  const bare = await startRoundTrips(db, system.databaseUrl, redisUrl);
  const figures: number[][] = [];
  const references: number[][] = [];
  try {
    const ours = async (jobs: number) => {
      await emptyCatalogAndJobs(db);
      const times = await timesOf(insertsOf(client, jobs), sendAndWait);
      await requireExact(db, jobs);
      return times;
    };
    const theirs = (jobs: number) => timesOf(insertsOf(client, jobs), ({ body }) => bare.once(body));
    await ours(WARM_UP_JOBS);
    await theirs(WARM_UP_JOBS);
    await alternate(
      runs,
      async () => {
        const times = await profiled(() => ours(count));
        say(`${NAME}: ${describe(times)}`);
        return figures.push(times);
      },
      async () => {
        const times = await theirs(count);
        say(`${NAME}: two commits and a round trip of BullMQ ${describe(times)}`);
        return references.push(times);
      },
    );
  } finally {
    await bare.stop();
  }
  const what = `a lone job of 10 rows, Prefer: wait, ${count} one after another`;
  const common = { what, unit: 'ms', peaks: memory.peaks(), aim: atMost(3) };
  const p99 = (times: readonly number[]) => percentile(times, 99);
  return [
    resultOf(options, { ...common, name: NAME, figures: figures.map(median), references: references.map(median) }),
    resultOf(options, { ...common, name: `${NAME} p99`, figures: figures.map(p99), references: references.map(p99) }),
  ];
}

/** From the request that announces the file until the client knows that its job is COMPLETED; the upload is in it. */
async function loneFiles(options: BenchmarkOptions, world: World, path: string, copyPath: string) {
  const { quick, runs = quick ? QUICK_RUNS : RUNS, say } = options;
  const { client, db, memory } = world;
  const measured = await alternate(
    runs,
    async () => {
      await emptyCatalogAndJobs(db);
      await emptyTables(db);
      const start = performance.now();
      const jobId = await uploadFile(client, path);
      const job = await client.jobEnd(jobId);
      const milliseconds = performance.now() - start;
      requireCount(job.progressTracker.createdCount, FILE_ROWS, 'created');
      await requireExact(db, 1);
      say(`${NAME}: a file ${Math.round(milliseconds)} ms`);
      return milliseconds;
    },
    async () => {
      const milliseconds = 1000 * (await runCopy(db, copyPath, FILE_ROWS));
      say(`${NAME}: COPY of the file ${Math.round(milliseconds)} ms`);
      return milliseconds;
    },
  );
  const what = `a file of ${FILE_ROWS.toLocaleString('en')} rows, announced to COMPLETED`;
  const name = `${NAME} file`;
  return resultOf(options, { name, what, unit: 'ms', aim: atMost(2.5), peaks: memory.peaks(), ...measured });
}

/** The announcement and the upload are timed here, so both go over bare sockets. @returns the job, which starts by itself */
async function uploadFile(client: ApiClient, path: string): Promise<string> {
  const announced = await client.postText<{ jobId: string; location: string }>(
    '/files/product',
    JSON.stringify({ fileName: basename(path), fileType: 'ITEM_IMPORT', options: { mode: 'upsert' } }),
  );
  await client.put(announced.location, createReadStream(path, { highWaterMark: 1 << 20 }), statSync(path).size);
  return announced.jobId;
}

async function timesOf<T>(requests: readonly T[], answer: (request: T) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const request of requests) {
    const start = performance.now();
    await answer(request);
    times.push(performance.now() - start);
  }
  return times;
}

function describe(times: readonly number[]): string {
  return `p50 ${median(times).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms`;
}
