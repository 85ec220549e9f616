/** How long inspections take beside imports of the same rows, and how much memory the worker has meanwhile. */
import { join } from 'node:path';
import { atLeast, atMost, type BenchmarkOptions, type BenchmarkResult } from '../../benchmark.js';
import { SHOP_CATEGORY, writeShopFile } from '../../data/shop-file.js';
import { writeCsv } from '../../data/write-rows.js';
import { alternate } from '../../measure/alternate.js';
import { watchPeakMemory } from '../../measure/peak-memory.js';
import { processorTime } from '../../measure/processor-time.js';
import { resultOf } from '../../measure/result.js';

import { emptyCatalogAndJobs } from '../../world/empty-tables.js';
import { fillSite } from '../../world/fill-site.js';
import { importFile } from '../../world/import-file.js';
import { dropHeld, inspectHeld, uploadHeld } from '../../world/inspect-file.js';
import type { World } from '../../world/start-world.js';
import { withWorld } from '../../world/with-world.js';
import { requireCount } from '../file-import.js';

const NAME = 'inspect';
const ROWS = 1_000_000;
const QUICK_ROWS = 40_000;
const SHOP_ROWS = 100_000;
const QUICK_SHOP_ROWS = 5_000;
const RUNS = 3;
const QUICK_RUNS = 1;
const MOST_MB = 220;

/** A file to inspect, and one with the same rows as an import takes them. */
interface Pair {
  readonly name: string;
  readonly rows: number;
  readonly inspected: string;
  readonly imported: string;
}

export function timeInspections(options: BenchmarkOptions): Promise<BenchmarkResult[]> {
  return withWorld(options, async (world): Promise<BenchmarkResult[]> => {
    const { quick, rows = quick ? QUICK_ROWS : ROWS } = options;
    const shopRows = Math.min(rows, quick ? QUICK_SHOP_ROWS : SHOP_ROWS);
    await fillSite(world.client);
    const items = join(world.folder, 'items.csv');
    await writeCsv(items, rows);
    const shop = await writeShopFile(world.folder, shopRows);
    await fillShop(world, shop.attributes);
    const pairs: Pair[] = [
      { name: NAME, rows, inspected: items, imported: items },
      { name: `${NAME} shop`, rows: shopRows, inspected: shop.inspected, imported: shop.imported },
    ];
    // The first inspections are not counted, but for their memory: the worker has imported nothing yet.
    const memory: BenchmarkResult[] = [];
    for (const pair of pairs) memory.push(await memoryOf(options, world, pair));
    const results: BenchmarkResult[] = [];
    for (const pair of pairs) results.push(await timePair(options, world, pair));
    return [...results, ...memory];
  });
}

/** Gives the site the texts of the shop, in a category of their own. */
async function fillShop({ client: { typed } }: World, names: readonly string[]): Promise<void> {
  const { failed } = await typed.bulk(
    'createAttributes',
    names.map((name) => ({ name, type: 'TEXT', textSubType: 'TEXT_AREA' }) as const),
  );
  if (failed.length > 0) throw new Error(`attributes of the shop were refused: ${JSON.stringify(failed)}`);
  const [root, leaf] = SHOP_CATEGORY;
  const { nodeId } = await typed.createCategory({ body: { name: root } });
  await typed.createCategory({ body: { name: leaf, parentNodeId: nodeId } });
  await typed.setCategoryAttributes({ body: { nodeId, itemAttributes: names.map((name) => ({ name })) } });
}

async function memoryOf(options: BenchmarkOptions, world: World, pair: Pair): Promise<BenchmarkResult> {
  const { rows, columns, peaks } = await inspectOnce(options, world, pair);
  const { worker = 0 } = peaks;
  const what = `worker, an inspection of ${rows.toLocaleString('en')} rows of ${columns} columns`;
  const common = { name: `${NAME} memory`, unit: 'MB', aim: atMost(MOST_MB) };
  return resultOf(options, { ...common, what, peaks: { worker }, figures: [worker], references: [] });
}

async function timePair(options: BenchmarkOptions, world: World, pair: Pair): Promise<BenchmarkResult> {
  const { quick, runs = quick ? QUICK_RUNS : RUNS, say } = options;
  let columns = 0;
  // Of the inspections alone: the benchmarks of imports have those of imports.
  const peaks: Record<string, number> = {};
  const measured = await alternate(
    runs,
    async () => {
      const inspected = await world.profiled(() => inspectOnce(options, world, pair));
      columns = inspected.columns;
      for (const [process, peak] of Object.entries(inspected.peaks)) {
        peaks[process] = Math.max(peaks[process] ?? 0, peak);
      }
      return pair.rows / inspected.seconds;
    },
    async () => {
      await emptyCatalogAndJobs(world.db);
      const used = workerSeconds(world);
      const { seconds, job } = await importFile(world, pair.imported);
      requireCount(job.progressTracker.createdCount, pair.rows, 'created');
      say(`${pair.name}: an import ${Math.round(pair.rows / seconds)} rows/s, the worker computed ${used()} s`);
      return pair.rows / seconds;
    },
  );
  const what = `${pair.rows.toLocaleString('en')} rows of ${columns} columns, beside their import`;
  const common = { name: pair.name, unit: 'rows/s', aim: atLeast(1), peaks };
  return resultOf(options, { ...common, what, ...measured });
}

async function inspectOnce({ say }: BenchmarkOptions, world: World, { name, inspected, rows }: Pair) {
  const held = await uploadHeld(world, inspected);
  const memory = watchPeakMemory(() => world.system.processes, { fromNow: true });
  try {
    const used = workerSeconds(world);
    const found = await inspectHeld(world, held);
    say(`${name}: ${Math.round(found.rows / found.seconds)} rows/s, the worker computed ${used()} s`);
    if (found.rows !== rows) throw new Error(`${found.rows} rows were inspected, not ${rows}`);
    return { ...found, peaks: memory.peaks() };
  } finally {
    memory.stop();
    await dropHeld(world, held);
  }
}

/** @returns what says how many seconds of processor time the worker has used since */
function workerSeconds({ system }: World): () => string {
  const used = () => processorTime(system.processes)?.byProcess.get('worker') ?? Number.NaN;
  const before = used();
  return () => (used() - before).toFixed(1);
}
