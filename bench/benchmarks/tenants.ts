/** How long one tenant's ten rows take while another tenant's import runs, beside the same on an idle system. */
import { openAsBlob } from 'node:fs';
import { basename, join } from 'node:path';
import { connectDb } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { atMost, type Benchmark, type BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { resultOf } from '../measure/result.js';
import { median, percentile } from '../measure/statistics.js';
import { type ApiClient, openClient } from '../world/api-client.js';
import { emptyCatalogAndJobs } from '../world/empty-tables.js';
import { fillSite } from '../world/fill-site.js';
import { requireExact } from '../world/require-exact.js';
import { insertOf, type SmallRequest, sendAndWait } from '../world/small-jobs.js';
import type { World } from '../world/start-world.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'tenants';
const ROWS = 500_000;
const RUNS = 3;
const QUICK_ROWS = 50_000;
const QUICK_RUNS = 1;
const IDLE_JOBS = 40;
const QUICK_IDLE_JOBS = 20;

export const tenants: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : ROWS, runs = quick ? QUICK_RUNS : RUNS, say } = options;
      const path = join(world.folder, 'items.csv');
      await writeCsv(path, rows);
      const other = await secondTenant(world);
      await fillSite(world.client);
      await fillSite(other);
      let requests = 0;
      const nextRequest = () => insertOf(other, requests++);
      const busy: number[][] = [];
      const idle: number[][] = [];
      for (let run = 0; run <= runs; run++) {
        await emptyCatalogAndJobs(world.db);
        const before = requests;
        const alone = await idleTimes(nextRequest, quick ? QUICK_IDLE_JOBS : IDLE_JOBS);
        const beside = await timesDuringImport(world, path, nextRequest);
        await requireExact(world.db, 1 + requests - before);
        say(`${NAME}: ${describe(beside)} during an import, ${describe(alone)} idle`);
        // The first run warms the processes up.
        if (run === 0) continue;
        idle.push(alone);
        busy.push(beside);
      }
      await other.destroy();
      const what = `10-row job during an import of ${rows.toLocaleString('en')} rows`;
      const common = { what, unit: 'ms', peaks: world.memory.peaks() };
      const p95 = (times: readonly number[]) => percentile(times, 95);
      return [
        resultOf(options, {
          ...common,
          name: NAME,
          aim: atMost(2),
          figures: busy.map(median),
          references: idle.map(median),
        }),
        resultOf(options, {
          ...common,
          name: `${NAME} p95`,
          aim: atMost(3),
          figures: busy.map(p95),
          references: idle.map(p95),
        }),
      ];
    }),
};

async function secondTenant({ system }: World): Promise<ApiClient> {
  const db = connectDb({ url: system.databaseUrl, poolMax: 1, name: 'longshore-bench' });
  try {
    const { id } = await createAccount(db, { name: 'The other tenant' });
    const { token } = await createToken(db, { accountId: id, name: 'bench' });
    return openClient({ baseUrl: system.baseUrl, account: id, token });
  } finally {
    await db.destroy();
  }
}

async function idleTimes(nextRequest: () => SmallRequest, count: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) times.push(await timeJob(nextRequest()));
  return times;
}

/** One job after another, from when the import has begun to when it has ended. */
async function timesDuringImport({ client }: World, path: string, nextRequest: () => SmallRequest): Promise<number[]> {
  const jobId = await startImport(client, path);
  let importing = true;
  const ended = client.jobEnd(jobId).finally(() => {
    importing = false;
  });
  const times: number[] = [];
  while (importing) {
    const time = await timeJob(nextRequest());
    if (importing) times.push(time);
  }
  await ended;
  return times;
}

/** @returns the job, which starts with the last byte of the file */
async function startImport({ typed }: ApiClient, path: string): Promise<string> {
  const { jobId, location } = await typed.announceFile({
    body: { fileName: basename(path), fileType: 'ITEM_IMPORT', options: { mode: 'upsert' } },
  });
  const { pathname, searchParams } = new URL(location);
  await typed.uploadFile({
    fileId: basename(pathname),
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
    body: await openAsBlob(path),
  });
  return jobId;
}

/** @returns milliseconds from the request to its result, as the client has them (`Prefer: wait`) */
async function timeJob(request: SmallRequest): Promise<number> {
  const start = performance.now();
  await sendAndWait(request);
  return performance.now() - start;
}

function describe(times: readonly number[]): string {
  return `${Math.round(median(times))} ms (p95 ${Math.round(percentile(times, 95))}, ${times.length} jobs)`;
}
