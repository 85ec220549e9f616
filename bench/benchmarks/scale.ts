/** How much faster one import becomes with more worker processes, and what limits it; with Redis, files are in S3. */
import { join } from 'node:path';
import { s3IsAvailable } from '../../test/support/worlds/test-s3.js';
import type { Benchmark, BenchmarkOptions, BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { describeUse, processorTime } from '../measure/processor-time.js';
import { resultOf } from '../measure/result.js';
import { createReferenceTable, emptyTables, requireRows } from '../reference/item-copy.js';
import { fillSite } from '../world/fill-site.js';
import { importFile } from '../world/import-file.js';
import type { World } from '../world/start-world.js';
import { withNewWorld } from '../world/with-world.js';
import { QUICK_ROWS, requireCount } from './file-import.js';

const NAME = 'scale';
const ROWS = 1_000_000;
const WORKERS = [1, 2, 4];
/** Of the four worker processes, those that are killed while the import runs, and are not started again. */
const KILLED = ['worker-2', 'worker-4'];
/** The share of the rows after which they are killed. */
const KILLED_AFTER = 0.3;
/** The import that warms the processes up. */
const FIRST_ROWS = 20_000;

export const scale: Benchmark = {
  name: NAME,
  run: async (options) => {
    const { backend, quick, rows = quick ? QUICK_ROWS : ROWS, runs = 1, say } = options;
    // A fleet has its files in S3.
    const inS3 = backend === 'redis' && s3IsAvailable();
    const where = `${backend === 'redis' ? 'Redis' : 'Postgres'} and ${inS3 ? 'S3' : 'a folder'}`;
    say(`${NAME}: ${rows.toLocaleString('en')} rows, on ${where}`);
    const alone: number[] = [];
    const results: BenchmarkResult[] = [];
    for (const workers of WORKERS) {
      const measured = await withNewWorld({ ...options, workers, inS3 }, (world) =>
        importAll(world, rows, runs, options),
      );
      if (workers === 1) alone.push(...measured.figures);
      const name = `${NAME} ${workers}`;
      say(`${name}: ${measured.use}`);
      results.push(toResult(options, name, `${rows.toLocaleString('en')} rows, ${where}`, measured, alone));
    }
    const most = Math.max(...WORKERS);
    const killed = await withNewWorld(
      { ...options, workers: most, inS3 },
      (world) => importAll(world, rows, 1, options, KILLED),
      (process) => KILLED.includes(process),
    );
    const what = `${rows.toLocaleString('en')} rows, ${KILLED.length} of ${most} workers killed midway, ${where}`;
    results.push(toResult(options, `${NAME} killed`, what, killed, alone));
    return results;
  },
};

interface Measured {
  /** Rows a second. */
  readonly figures: readonly number[];
  readonly peaks: Readonly<Record<string, number>>;
  /** What the processors did during the last run. */
  readonly use: string;
}

/** Imports into an empty site. @throws when an item is missing, or a row was not created exactly once */
async function importAll(
  world: World,
  rows: number,
  runs: number,
  { say }: BenchmarkOptions,
  killed: readonly string[] = [],
): Promise<Measured> {
  const { client, db, folder, memory, system } = world;
  await fillSite(client);
  await createReferenceTable(db);
  const first = join(folder, 'first.csv');
  await writeCsv(first, Math.min(rows, FIRST_ROWS));
  await importFile(world, first);
  const path = join(folder, 'items.csv');
  await writeCsv(path, rows);
  const figures: number[] = [];
  let use = '';
  for (let run = 0; run < runs; run++) {
    await emptyTables(db);
    const left = new Set(killed);
    const before = processorTime(system.processes);
    const { seconds, job } = await importFile(world, path, ({ job }) => {
      if ((job?.progressTracker.processedCount ?? 0) < rows * KILLED_AFTER) return;
      for (const name of left) system.kill(name, 'SIGKILL');
      left.clear();
    });
    use = describeUse(before, processorTime(system.processes));
    if (left.size > 0) throw new Error('the import ended before a worker was killed: take more rows');
    requireCount(job.progressTracker.createdCount, rows, 'created');
    await requireRows(db, 'item', rows);
    figures.push(rows / seconds);
    say(`${NAME}: ${Math.round(rows / seconds)} rows/s, each row once${killed.length > 0 ? ', after the kills' : ''}`);
  }
  return { figures, peaks: memory.peaks(), use };
}

function toResult(
  options: BenchmarkOptions,
  name: string,
  what: string,
  { figures, peaks }: Measured,
  references: readonly number[],
): BenchmarkResult {
  return resultOf(options, { name, what, unit: 'rows/s', aim: null, peaks, figures, references });
}
