/** Updates of three of the 40 attributes of every item, and what the change log of them takes. */
import { join } from 'node:path';
import type pg from 'pg';
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { fillWideSite, writeChangesCsv, writeWideCsv } from '../data/wide-rows.js';
import { describeUse, processorTime } from '../measure/processor-time.js';
import { resultOf } from '../measure/result.js';
import { importFile } from '../world/import-file.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_RUNS, QUICK_RUNS, requireCount } from './file-import.js';

const NAME = 'update';
const DEFAULT_ROWS = 100_000;
const QUICK_ROWS = 20_000;

export const update: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
      const { say } = options;
      const { db, system } = world;
      const path = join(world.folder, 'wide.csv');
      await writeWideCsv(path, rows);
      await fillWideSite(world.client);
      const first = await importFile(world, path);
      say(`${NAME}: first import, not counted: ${Math.round(rows / first.seconds)} rows/s`);
      const figures: number[] = [];
      const bytes: number[] = [];
      for (let round = 1; round <= runs + 1; round++) {
        const changes = join(world.folder, `changes-${round}.csv`);
        await writeChangesCsv(changes, rows, round);
        await db.query('VACUUM ANALYZE item');
        await db.query('CHECKPOINT');
        const size = await logBytes(db);
        const before = processorTime(system.processes);
        const { seconds, job } = await world.profiled(() => importFile(world, changes));
        const after = processorTime(system.processes);
        requireCount(job.progressTracker.updatedCount, rows, 'updated');
        // The first one makes room in the pages of the table.
        if (round === 1) continue;
        figures.push(rows / seconds);
        if (size !== null) bytes.push(((await logBytes(db)) ?? size) - size);
        say(`${NAME}: ${Math.round(rows / seconds)} rows/s; ${describeUse(before, after)}`);
        say(`${NAME}: ${used(before, after).toFixed(2)} s of processor time`);
      }
      const perItem = bytes.map((all) => Math.round(all / rows));
      const log = perItem.length === 0 ? 'no change log' : `${perItem.at(-1)} bytes of change log each`;
      say(`${NAME}: ${log}`);
      const what = `3 of 40 attributes of ${rows.toLocaleString('en')} items, ${log}`;
      const measured = { figures, references: [] };
      return [
        resultOf(options, { name: NAME, what, unit: 'rows/s', aim: null, peaks: world.memory.peaks(), ...measured }),
      ];
    }),
};

type Use = ReturnType<typeof processorTime>;

/** Seconds of processor time of all processes of the system. */
function used(before: Use, after: Use): number {
  const sum = (use: Use) => [...(use?.byProcess.values() ?? [])].reduce((all, seconds) => all + seconds, 0);
  return sum(after) - sum(before);
}

/** The size of the change log with its indexes; null: this build has none. */
async function logBytes(db: pg.Client): Promise<number | null> {
  const { rows } = await db.query<{ bytes: string | null }>(
    `SELECT sum(pg_total_relation_size(inhrelid))::text AS bytes FROM pg_inherits
     WHERE inhparent IN (to_regclass('change_set'), to_regclass('item_change'))`,
  );
  const [{ bytes } = { bytes: null }] = rows;
  return bytes === null ? null : Number(bytes);
}
