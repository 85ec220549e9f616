/** A tenant whose every job conflicts with others of its own is no worse a neighbour than one whose jobs do not. */
import assert from 'node:assert/strict';
import { forEachBackend } from '../support/for-each-backend.js';
import type { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const PROBES = 40;
const ROUNDS = 4;
const SENT_EVERY_MS = 25;
/** By how much the conflicts may slow another tenant. */
const AT_MOST = 1.2;
const ROWS = 10;

describe('a tenant whose every job conflicts', function () {
  this.timeout(300_000);

  forEachBackend((backend) => {
    let world: SystemWorld;
    let harmless: Shop;
    let conflicting: Shop;
    let other: Shop;
    let number = 0;
    before(async () => {
      world = await startSystemWorld({ workers: 1, redisUrl: backend.redisUrl });
      const plain = { attributes: ['Title'], categories: { Disk: ['Title'] } };
      harmless = await (await world.newShop()).define(plain);
      other = await (await world.newShop()).define(plain);
      const unique = { name: 'Code', type: 'TEXT', validation: { unique: true } };
      conflicting = await (await world.newShop()).define({ attributes: [unique], categories: { Disk: ['Code'] } });
    });
    after(() => world.stop());

    it('slows no other by more than a fifth', async () => {
      const rows = (attribute: string, value: (row: number) => string) => () => {
        number += 1;
        const attributes = (row: number) => ({ [attribute]: value(row) });
        return Array.from({ length: ROWS }, (_, row) => ({
          ...{ sku: `${number}-${row}`, nodeName: 'Disk', attributes: attributes(row) },
        }));
      };
      await timesBeside(harmless, rows('Title', String));
      const beside: { harmless: number[]; conflicting: number[] } = { harmless: [], conflicting: [] };
      for (let round = 0; round < ROUNDS; round++) {
        beside.harmless.push(...(await timesBeside(harmless, rows('Title', String))));
        beside.conflicting.push(...(await timesBeside(conflicting, rows('Code', String))));
      }
      const failed = await world.db('job').where({ site_id: conflicting.siteId }).sum('error_count as rows').first();
      assert.ok(Number(failed?.rows) > PROBES * ROWS, 'their jobs conflict');
      const ratio = median(beside.conflicting) / median(beside.harmless);
      const said = `${median(beside.conflicting)} ms beside conflicts, ${median(beside.harmless)} ms without`;
      process.stdout.write(`        ${said}: ${ratio.toFixed(2)}\n`);
      assert.ok(ratio <= AT_MOST, said);
    });

    /** What jobs of the other tenant take, one after another, while a neighbour sends jobs at a steady rate. */
    async function timesBeside(neighbour: Shop, rows: () => object[]): Promise<number[]> {
      const sent: Promise<string>[] = [];
      const timer = setInterval(() => {
        sent.push(
          neighbour
            .call('POST', '/api-product/v1/product/bulk/upsert', { body: rows() })
            .then(({ body }) => body.jobId),
        );
      }, SENT_EVERY_MS);
      const times: number[] = [];
      try {
        while (times.length < PROBES) {
          number += 1;
          const own = Array.from({ length: ROWS }, (_, row) => ({ sku: `own-${number}-${row}`, nodeName: 'Disk' }));
          const start = performance.now();
          const { status } = await other.bulk('insert', own);
          times.push(performance.now() - start);
          assert.equal(status, 200);
        }
      } finally {
        clearInterval(timer);
      }
      for (const jobId of await Promise.all(sent)) await untilEnded(neighbour, jobId);
      return times;
    }
  });
});

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
