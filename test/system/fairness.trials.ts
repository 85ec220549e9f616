/** Declares how long a small job of one tenant may take beside a large import of another. */
import assert from 'node:assert/strict';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { IMPORT_CATALOG, importRows } from '../support/models/import-rows.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const PROBES_ALONE = 15;
const LEAST_PROBES_BESIDE = 5;
const TIMES_AT_MOST = 5;
const ROWS_A_REQUEST = 10_000;

/** @param rows of the large import */
export function runFairnessTrials(rows: number): void {
  forEachBackend((backend) => {
    let world: SystemWorld;
    let small: Shop;
    let large: Shop;
    let number = 0;
    before(async () => {
      world = await startSystemWorld({ workers: 1, redisUrl: backend.redisUrl });
      small = await (await world.newShop()).define(IMPORT_CATALOG);
      large = await (await world.newShop()).define(IMPORT_CATALOG);
    });
    after(() => world.stop());
    beforeEach(() => world.db('item').delete());

    const probes = {
      'a bulk request of 10 rows': async () => {
        const { status } = await small.bulk('upsert', tenRows());
        assert.equal(status, 200);
      },
      'a file of 10 rows': async () => {
        const lines = tenRows().map((row) => `${JSON.stringify(row)}\n`);
        const { created } = await small.importFile('ten.jsonl', lines.join(''));
        assert.equal(created, 10);
      },
    };

    for (const [name, probe] of Object.entries(probes)) {
      it(`lets ${name} end within five times what it takes alone, beside an import`, async () => {
        const alone = await probeAlone(probe);
        const jobId = await large.upload('large.csv', importRows(rows).csv);
        assertFair(alone, await probeBeside(probe, untilEnded(large, jobId)));
      });
    }

    it('lets a bulk request of 10 rows end within five times what it takes alone, beside many large ones', async () => {
      const probe = probes['a bulk request of 10 rows'];
      const alone = await probeAlone(probe);
      const jobs: string[] = [];
      for (let request = 0; request < rows / ROWS_A_REQUEST; request++) {
        const body = itemRows(`large-${request}`, ROWS_A_REQUEST);
        const answer = await large.call('POST', '/api-product/v1/product/bulk/insert', { body });
        assert.equal(answer.status, 202);
        jobs.push(answer.body.jobId);
      }
      assertFair(alone, await probeBeside(probe, Promise.all(jobs.map((jobId) => untilEnded(large, jobId)))));
    });

    function tenRows() {
      number += 1;
      return itemRows(`small-${number}`, 10);
    }
  });
}

async function probeAlone(probe: () => Promise<void>): Promise<number[]> {
  await timed(probe);
  const alone: number[] = [];
  while (alone.length < PROBES_ALONE) alone.push(await timed(probe));
  return alone;
}

/** @returns what the probes took that ended before the work did */
async function probeBeside(probe: () => Promise<void>, work: Promise<unknown>): Promise<number[]> {
  let ended = false;
  const working = work.finally(() => {
    ended = true;
  });
  const beside: number[] = [];
  while (!ended) {
    const ms = await timed(probe);
    if (!ended) beside.push(ms);
  }
  await working;
  return beside;
}

function assertFair(alone: readonly number[], beside: readonly number[]): void {
  assert.ok(beside.length >= LEAST_PROBES_BESIDE, `only ${beside.length} ended while the other's work ran`);
  const figures = `${median(beside).toFixed(0)} ms (at most ${Math.max(...beside).toFixed(0)}) beside it, ${median(alone).toFixed(0)} ms alone`;
  assert.ok(median(beside) / median(alone) <= TIMES_AT_MOST, figures);
}

function itemRows(prefix: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    sku: `${prefix}-${index}`,
    nodeName: 'Storage->Disk',
    attributes: { Title: `Disk ${index}`, Price: '9.5', Stock: index % 90, Colour: 'red' },
  }));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
