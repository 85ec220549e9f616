/** Bulk inserts of 10,000 rows as JSON, four at a time, each from its acceptance to COMPLETED. */
import { readFile } from 'node:fs/promises';
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { writeBodies } from '../data/write-rows.js';
import { alternate } from '../measure/alternate.js';
import { inLanes } from '../measure/in-lanes.js';
import { resultOf } from '../measure/result.js';
import { createReferenceTable, emptyTables, requireRows } from '../reference/item-copy.js';
import { runRecordsetUpsert, writeParameters } from '../reference/recordset-upsert.js';
import { fillSite } from '../world/fill-site.js';
import { INSERT_PATH } from '../world/small-jobs.js';
import type { World } from '../world/start-world.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_ROWS, DEFAULT_RUNS, QUICK_ROWS, QUICK_RUNS } from './file-import.js';

const NAME = 'bulk-json';
const ROWS_PER_REQUEST = 10_000;
const AT_A_TIME = 4;

export const bulkJson: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
      const { say } = options;
      const { db, folder } = world;
      const bodies = await writeBodies(folder, rows, ROWS_PER_REQUEST);
      await fillSite(world.client);
      await createReferenceTable(db);
      const insertAll = async () => {
        await emptyTables(db);
        const seconds = await world.profiled(() => sendAll(world, bodies));
        await requireRows(db, 'item', rows);
        return rows / seconds;
      };
      say(`${NAME}: first, not counted: ${Math.round(await insertAll())} rows/s`);
      const parameters = await writeParameters(db, folder);
      const measured = await alternate(
        runs,
        async () => {
          const rate = await insertAll();
          say(`${NAME}: ${Math.round(rate)} rows/s`);
          return rate;
        },
        async () => {
          const rate = rows / (await runRecordsetUpsert(db, parameters, rows));
          say(`${NAME}: jsonb_to_recordset ${Math.round(rate)} rows/s`);
          return rate;
        },
      );
      const what = `${bodies.length} requests of ${ROWS_PER_REQUEST.toLocaleString('en')} rows`;
      const aim = { value: 0.6, is: 'at least' } as const;
      return [resultOf(options, { name: NAME, what, unit: 'rows/s', aim, peaks: world.memory.peaks(), ...measured })];
    }),
};

/**
 * Sends every body and waits for every job, `AT_A_TIME` in hand.
 * @returns seconds from the first request's acceptance (`job.created_at`) until the client knows that the last is COMPLETED
 */
async function sendAll({ client, db }: World, bodies: readonly string[]): Promise<number> {
  const jobs: string[] = [];
  await inLanes(bodies, AT_A_TIME, async (path) => {
    const { jobId } = await client.postText<{ jobId: string }>(INSERT_PATH, await readFile(path));
    jobs.push(jobId);
    await client.jobEnd(jobId);
  });
  const endedAt = Date.now();
  const { rows } = await db.query<{ first: Date }>('SELECT min(created_at) AS first FROM job WHERE id = ANY($1)', [
    jobs,
  ]);
  const first = rows[0]?.first;
  if (first === undefined) throw new Error('no job was accepted');
  return (endedAt - first.getTime()) / 1000;
}
