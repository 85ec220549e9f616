/** How long one tenant's ten rows take while another tenant's import runs, beside the same on an idle system. */
import { join } from 'node:path';
import { connectDb } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { resultOf } from '../measure/result.js';
import { median, percentile } from '../measure/statistics.js';
import { type ApiClient, openClient } from '../world/api-client.js';
import { fillSite } from '../world/fill-site.js';
import { uploadFile } from '../world/import-file.js';
import { emptyCatalogAndJobs, INSERT_PATH, smallBodies } from '../world/small-jobs.js';
import { type World, withWorld } from '../world/start-world.js';

const NAME = 'tenants';
const ROWS = 500_000;
const QUICK_ROWS = 200_000;
const RUNS = 3;
const IDLE_JOBS = 40;

export const tenants: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : ROWS, runs = RUNS, say } = options;
      const path = join(world.folder, 'items.csv');
      await writeCsv(path, rows);
      const other = await secondTenant(world);
      await fillSite(world.client);
      await fillSite(other);
      const bodies = smallBodies(10_000);
      const nextBody = () => bodies.pop() ?? '';
      const busy: number[][] = [];
      const idle: number[][] = [];
      for (let run = 0; run <= runs; run++) {
        await emptyCatalogAndJobs(world.db);
        const alone = await idleTimes(other, nextBody);
        const beside = await timesDuringImport(world, path, other, nextBody);
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
      const aim = { value: 5, is: 'at most' } as const;
      return [
        resultOf(options, { ...common, name: NAME, aim, figures: busy.map(median), references: idle.map(median) }),
        resultOf(options, {
          ...common,
          name: `${NAME} p95`,
          aim: null,
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

async function idleTimes(client: ApiClient, nextBody: () => string): Promise<number[]> {
  const times: number[] = [];
  while (times.length < IDLE_JOBS) times.push(await timeJob(client, nextBody()));
  return times;
}

/** One job after another, from when the import has begun to when it has ended. */
async function timesDuringImport(
  { client }: World,
  path: string,
  other: ApiClient,
  nextBody: () => string,
): Promise<number[]> {
  const { jobId } = await uploadFile(client, path);
  let importing = true;
  const ended = client.jobEnd(jobId).finally(() => {
    importing = false;
  });
  const times: number[] = [];
  while (importing) {
    const time = await timeJob(other, nextBody());
    if (importing) times.push(time);
  }
  await ended;
  return times;
}

/** @returns milliseconds from the request to its result, as the client has them (`Prefer: wait`) */
async function timeJob(client: ApiClient, body: string): Promise<number> {
  const start = performance.now();
  const result = await client.postText<{ itemIds?: unknown }>(INSERT_PATH, body, { prefer: 'wait=25' });
  if (result.itemIds === undefined) throw new Error('a job of ten rows took longer than 25 s');
  return performance.now() - start;
}

function describe(times: readonly number[]): string {
  return `${Math.round(median(times))} ms (p95 ${Math.round(percentile(times, 95))}, ${times.length} jobs)`;
}
