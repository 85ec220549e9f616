/** What the benchmarks of file imports have in common: a file in, a COPY of the same rows beside it. */
import { join } from 'node:path';
import type { Aim, Benchmark, BenchmarkOptions, BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { runCopy, writeCopyFile } from '../reference/copy-stream.js';
import { createReferenceTable, emptyTables, requireRows } from '../reference/item-copy.js';
import { fillSite } from '../world/fill-site.js';
import { importFile } from '../world/import-file.js';
import type { World } from '../world/start-world.js';
import { withWorld } from '../world/with-world.js';

export interface FileImport {
  readonly name: string;
  readonly fileName: string;
  readonly aim: Aim;
  /** Undefined: `QUICK_ROWS`. */
  readonly quickRows?: number;
  write(path: string, rows: number): Promise<void>;
}

export const DEFAULT_ROWS = 200_000;
export const DEFAULT_RUNS = 3;
export const QUICK_ROWS = 40_000;
/** Workbooks take four times as long. */
export const QUICK_XLSX_ROWS = 20_000;
export const QUICK_RUNS = 1;

/** An import into an empty site, `runs` times. */
export function fileImport({ name, fileName, aim, quickRows = QUICK_ROWS, write }: FileImport): Benchmark {
  return {
    name,
    run: (options) =>
      withWorld(options, async (world): Promise<BenchmarkResult[]> => {
        const { quick, rows = quick ? quickRows : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
        const { say } = options;
        const path = join(world.folder, fileName);
        await write(path, rows);
        const copyPath = await firstImport(world, options, path, rows);
        const measured = await alternate(
          runs,
          async () => {
            await emptyTables(world.db);
            const { seconds, job } = await world.profiled(() => importFile(world, path));
            requireCount(job.progressTracker.createdCount, rows, 'created');
            say(`${name}: ${Math.round(rows / seconds)} rows/s`);
            return rows / seconds;
          },
          async () => {
            const seconds = await runCopy(world.db, copyPath, rows);
            say(`${name}: COPY ${Math.round(rows / seconds)} rows/s`);
            return rows / seconds;
          },
        );
        const what = `${rows.toLocaleString('en')} rows`;
        return [resultOf(options, { name, what, unit: 'rows/s', aim, peaks: world.memory.peaks(), ...measured })];
      }),
  };
}

/** The import that warms the processes up and makes the rows for the reference; it is not counted. @returns their file */
export async function firstImport(
  world: World,
  { say }: BenchmarkOptions,
  path: string,
  rows: number,
): Promise<string> {
  await fillSite(world.client);
  await createReferenceTable(world.db);
  const { seconds } = await importFile(world, path);
  say(`first import, not counted: ${Math.round(rows / seconds)} rows/s`);
  await requireRows(world.db, 'item', rows);
  const copyPath = join(world.folder, 'items.copy');
  await writeCopyFile(world.db, copyPath);
  return copyPath;
}

export function requireCount(count: number | null, expected: number, what: string): void {
  if (count !== expected) throw new Error(`${count} rows were ${what}, not ${expected}: the figures mean nothing`);
}
