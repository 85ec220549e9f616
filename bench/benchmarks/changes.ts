/**
 * Reading the feed of changes of a site, page by page from the beginning, as the domain does it for a request: the numbering
 * of what is new, the cursor, and the entries, without their names and without HTTP.
 */
import { join } from 'node:path';
import { connectDb, type Db } from '../../db/connection.js';
import { openFeed, readFeed } from '../../src/domain/changes/feed.js';
import { formatCursor } from '../../src/domain/changes/feed-cursor.js';
import { atLeast, type Benchmark, type BenchmarkResult } from '../benchmark.js';
import { fillWideSite, writeChangesCsv, writeWideCsv } from '../data/wide-rows.js';
import { resultOf } from '../measure/result.js';
import { importFile } from '../world/import-file.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_RUNS, QUICK_RUNS, requireCount } from './file-import.js';

const NAME = 'changes';
const DEFAULT_ROWS = 200_000;
const QUICK_ROWS = 20_000;
/** The most of GET /changes. */
const PAGE = 1_000;

export const changes: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
      const { say } = options;
      const path = join(world.folder, 'wide.csv');
      const changed = join(world.folder, 'changed.csv');
      await writeWideCsv(path, rows);
      await writeChangesCsv(changed, rows, 1);
      await fillWideSite(world.client);
      await importFile(world, path);
      const { job } = await importFile(world, changed);
      requireCount(job.progressTracker.updatedCount, rows, 'updated');
      const db = connectDb({ url: world.system.databaseUrl, poolMax: 2, name: 'longshore-bench' });
      const figures: number[] = [];
      try {
        for (let run = 0; run <= runs; run++) {
          const began = performance.now();
          const entries = await readAll(db, await siteOf(db, job.id));
          const seconds = (performance.now() - began) / 1000;
          if (entries < 2 * rows) throw new Error(`${entries} changes were read: the figures mean nothing`);
          say(`${NAME}: ${Math.round(entries / seconds)} changes/s`);
          // The first one reads from the disk what the others find in memory.
          if (run > 0) figures.push(entries / seconds);
        }
      } finally {
        await db.destroy();
      }
      const what = `${(2 * rows).toLocaleString('en')} changes, ${PAGE.toLocaleString('en')} a page`;
      const measured = { figures, references: [], aim: atLeast(100_000), unit: 'changes/s' };
      return [resultOf(options, { name: NAME, what, peaks: world.memory.peaks(), ...measured })];
    }),
};

async function siteOf(db: Db, jobId: string): Promise<number> {
  const { site_id: siteId } = await db('job').where({ id: jobId }).first('site_id');
  return siteId;
}

/** @returns how many entries the feed has */
async function readAll(db: Db, siteId: number): Promise<number> {
  const { epoch } = await openFeed(db, siteId);
  let cursor = formatCursor(epoch, { position: 0, n: 0 });
  let entries = 0;
  for (let more = true; more; ) {
    const page = await readFeed(db, siteId, cursor, {}, PAGE);
    entries += page.entries.length;
    ({ cursor, more } = page);
  }
  return entries;
}
