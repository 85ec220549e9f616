/** What the benchmarks of exports have in common: a site in, a file out, a COPY of the same rows beside it. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Aim, Benchmark, BenchmarkResult } from '../benchmark.js';
import { writeCsv } from '../data/write-rows.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { fillSite } from '../world/fill-site.js';
import { importFile } from '../world/import-file.js';
import { withWorld } from '../world/with-world.js';
import { DEFAULT_ROWS, DEFAULT_RUNS, QUICK_ROWS, QUICK_RUNS, requireCount } from './file-import.js';

export interface FileExport {
  readonly name: string;
  readonly format: 'CSV' | 'JSONL' | 'XLSX';
  readonly aim: Aim;
  /** Undefined: `QUICK_ROWS`. */
  readonly quickRows?: number;
  /** The statement that somebody would write by hand, for the attributes in the order of the shop. */
  reference(siteId: number, attributes: readonly ReferenceAttribute[]): string;
}

export interface ReferenceAttribute {
  /** As a literal of SQL. */
  readonly id: string;
  readonly name: string;
}

/** A whole site into a file, `runs` times, the client waiting for its end. */
export function fileExport({ name, format, aim, quickRows = QUICK_ROWS, reference }: FileExport): Benchmark {
  return {
    name,
    run: (options) =>
      withWorld(options, async (world): Promise<BenchmarkResult[]> => {
        const { quick, rows = quick ? quickRows : DEFAULT_ROWS, runs = quick ? QUICK_RUNS : DEFAULT_RUNS } = options;
        const { say } = options;
        const { client, db, folder } = world;
        const path = join(folder, 'items.csv');
        await writeCsv(path, rows);
        await fillSite(client);
        await importFile(world, path);
        await db.query('VACUUM ANALYZE item');
        await db.query('CHECKPOINT');
        const statement = reference(await siteOf(db), await attributesOf(db));
        const exported = async () => {
          const start = performance.now();
          const { jobId } = await client.typed.exportMatchingItems({ body: { match: {}, format } });
          const job = await client.jobEnd(jobId);
          requireCount(job.progressTracker.totalCount, rows, 'exported');
          return rows / ((performance.now() - start) / 1000);
        };
        const copied = async () => {
          const start = performance.now();
          await pipeline(db.query(copyTo(statement)), createWriteStream(join(folder, 'items.copy'), { flush: true }));
          return rows / ((performance.now() - start) / 1000);
        };
        say(`first export, not counted: ${Math.round(await exported())} rows/s`);
        const measured = await alternate(
          runs,
          async () => told(await world.profiled(exported), `${name}: %`),
          async () => told(await copied(), `${name}: COPY %`),
        );
        const what = `${rows.toLocaleString('en')} rows`;
        return [resultOf(options, { name, what, unit: 'rows/s', aim, peaks: world.memory.peaks(), ...measured })];

        function told(rate: number, text: string): number {
          say(text.replace('%', `${Math.round(rate)} rows/s`));
          return rate;
        }
      }),
  };
}

async function siteOf(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ site_id: number }>('SELECT site_id FROM item LIMIT 1');
  return rows[0]?.site_id ?? 0;
}

async function attributesOf(db: pg.Client): Promise<ReferenceAttribute[]> {
  const { rows } = await db.query<{ id: string; name: string }>('SELECT id, name FROM attribute ORDER BY position');
  return rows.map(({ id, name }) => ({ id: `'${id}'`, name }));
}
