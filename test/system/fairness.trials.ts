/** Declares how long a small job of one tenant may take beside a large import of another. */
import assert from 'node:assert/strict';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { IMPORT_CATALOG, importRows } from '../support/models/import-rows.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

/** Before the others and after them. */
const PROBES_ALONE = 8;
const LEAST_PROBES_BESIDE = 5;
const TIMES_AT_MOST = 5;
/** What the machine does besides changes: the ratio is that of all rounds. */
const ROUNDS = 2;
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
        const { csv } = importRows(rows);
        const begin = async () => {
          await world.db('item').delete();
          return [await large.upload('large.csv', csv)];
        };
        await assertFair(probe, large, begin);
      });
    }

    it('lets a bulk request of 10 rows end within five times what it takes alone, beside many large ones', async () => {
      const probe = probes['a bulk request of 10 rows'];
      const bodies = Array.from({ length: rows / ROWS_A_REQUEST }, (_, request) =>
        itemRows(`large-${request}`, ROWS_A_REQUEST),
      );
      const begin = async () => {
        await world.db('item').delete();
        // At once: one by one, most would have ended before the last is accepted.
        return Promise.all(bodies.map(sendLarge));
      };
      await assertFair(probe, large, begin);
    });

    async function sendLarge(body: readonly object[]): Promise<string> {
      const answer = await large.call('POST', '/api-product/v1/product/bulk/insert', { body });
      assert.equal(answer.status, 202);
      return answer.body.jobId;
    }

    function tenRows() {
      number += 1;
      return itemRows(`small-${number}`, 10);
    }
  });
}

/** @param begin begins what the probes are made beside */
async function assertFair(
  probe: () => Promise<void>,
  large: Shop,
  begin: () => Promise<readonly string[]>,
): Promise<void> {
  const alone: number[] = [];
  const beside: number[] = [];
  await timed(probe);
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await probeAlone(probe)));
    beside.push(...(await probeBeside(probe, large, begin)));
    alone.push(...(await probeAlone(probe)));
  }
  const figures = `${median(beside).toFixed(0)} ms (at most ${Math.max(...beside).toFixed(0)}) beside it, ${median(alone).toFixed(0)} ms alone`;
  assert.ok(median(beside) / median(alone) <= TIMES_AT_MOST, figures);
}

async function probeAlone(probe: () => Promise<void>): Promise<number[]> {
  const alone: number[] = [];
  while (alone.length < PROBES_ALONE) alone.push(await timed(probe));
  return alone;
}

/**
 * Has the jobs of another tenant executed, again until enough probes were made beside them.
 * @param begin returns the ids of the jobs once they are accepted
 * @returns what the probes took that began before all of the jobs had ended
 */
async function probeBeside(
  probe: () => Promise<void>,
  large: Shop,
  begin: () => Promise<readonly string[]>,
): Promise<number[]> {
  const beside: number[] = [];
  while (beside.length < LEAST_PROBES_BESIDE) {
    let ended = false;
    const jobs = await begin();
    const working = Promise.all(jobs.map((jobId) => untilEnded(large, jobId))).finally(() => {
      ended = true;
    });
    while (!ended) beside.push(await timed(probe));
    await working;
  }
  return beside;
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
