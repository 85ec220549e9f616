/** The same rows in our own CSV and, by a profile, in the form of a German program: what the profile costs the worker. */
import { join } from 'node:path';
import { atMost, type Benchmark, type BenchmarkResult } from '../benchmark.js';
import { GERMAN_PROFILE } from '../data/german-form.js';
import { writeCsv, writeGermanCsv } from '../data/write-rows.js';
import { alternate } from '../measure/alternate.js';
import { processorTime } from '../measure/processor-time.js';
import { resultOf } from '../measure/result.js';
import { fillSite } from '../world/fill-site.js';
import { importFile } from '../world/import-file.js';
import type { World } from '../world/start-world.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_ROWS, QUICK_ROWS, requireCount } from './file-import.js';

const NAME = 'import-profile';
/** Processor time is counted in hundredths of a second, and differs more than the time that passes. */
const RUNS = 5;
const QUICK_RUNS = 3;
const MICROSECONDS = 1_000_000;

export const importProfile: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : RUNS, say } = options;
      const own = join(world.folder, 'items.csv');
      const german = join(world.folder, 'artikel.csv');
      await writeCsv(own, rows);
      await writeGermanCsv(german, rows);
      await fillSite(world.client);
      const byProfile = () => importFile(world, german, undefined, GERMAN_PROFILE);
      const inOurs = () => importFile(world, own);
      // Warms the processes up; not counted.
      await measured(world, rows, inOurs);
      await measured(world, rows, byProfile);
      const side = async (what: string, work: typeof byProfile) => {
        const perRow = (await measured(world, rows, work)) / rows;
        say(`${NAME}: ${what}, ${perRow.toFixed(2)} µs of the worker's processor time a row`);
        return perRow;
      };
      const found = await alternate(
        runs,
        () => world.profiled(() => side('by a profile', byProfile)),
        () => side('in our own form', inOurs),
      );
      const what = `${rows.toLocaleString('en')} rows by a profile, and in our own form`;
      const figures = { name: NAME, what, unit: 'µs/row', aim: atMost(1.3), peaks: world.memory.peaks(), ...found };
      return [resultOf(options, figures)];
    }),
};

/** Imports a file into an empty site. @returns microseconds of the worker's processor time */
async function measured(world: World, rows: number, work: () => ReturnType<typeof importFile>): Promise<number> {
  await world.db.query('TRUNCATE item, item_unique_value');
  await world.db.query('CHECKPOINT');
  const before = workerSeconds(world);
  const { job } = await work();
  const seconds = workerSeconds(world) - before;
  requireCount(job.progressTracker.createdCount, rows, 'created');
  return seconds * MICROSECONDS;
}

function workerSeconds({ system }: World): number {
  const used = processorTime(system.processes);
  if (used === undefined) throw new Error('the system does not say how much processor time the worker has used');
  return [...used.byProcess].reduce((sum, [name, seconds]) => (name.startsWith('worker') ? sum + seconds : sum), 0);
}
