/** The same CSV file again: nothing has changed, and nothing may be written. */
import { join } from 'node:path';
import type pg from 'pg';
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { runCopy } from '../reference/copy-stream.js';
import { importFile } from '../world/import-file.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_ROWS, DEFAULT_RUNS, firstImport, QUICK_ROWS, QUICK_RUNS, requireCount } from './file-import.js';

const NAME = 'reimport';

export const reimport: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
      const { say } = options;
      const { db } = world;
      const path = join(world.folder, 'items.csv');
      await writeCsv(path, rows);
      const copyPath = await firstImport(world, options, path, rows);
      const measured = await alternate(
        runs,
        async () => {
          // The reference has emptied the tables.
          await importFile(world, path);
          await db.query('CHECKPOINT');
          const before = await tupleVersions(db);
          const { seconds, job } = await world.profiled(() => importFile(world, path));
          requireCount(job.progressTracker.unchangedCount, rows, 'unchanged');
          if ((await tupleVersions(db)) !== before) throw new Error('an import that changes nothing has written items');
          say(`${NAME}: ${Math.round(rows / seconds)} rows/s`);
          return rows / seconds;
        },
        async () => {
          const seconds = await runCopy(db, copyPath, rows);
          say(`${NAME}: COPY ${Math.round(rows / seconds)} rows/s`);
          return rows / seconds;
        },
      );
      const what = `${rows.toLocaleString('en')} rows unchanged, 0 tuples written`;
      const aim = { value: 1.5, is: 'at least' } as const;
      return [resultOf(options, { name: NAME, what, unit: 'rows/s', aim, peaks: world.memory.peaks(), ...measured })];
    }),
};

/** Changes with every tuple that is inserted, updated, deleted or locked. */
async function tupleVersions(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ digest: string }>(
    `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(sku || ctid || ' ' || xmin || ' ' || xmax, 0)::numeric), 0)
       AS digest FROM item`,
  );
  return rows[0]?.digest ?? '';
}
