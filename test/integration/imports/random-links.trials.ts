/** Declares trials of items, variants and bundles that refer to each other, against a model of them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { OutboxEntry } from '../../../src/queues/outbox.js';
import type { WorkerServices } from '../../../src/workers/context.js';
import { runStep, unheard } from '../../support/faults/doomed-worker.js';
import type { Shop } from '../../support/http/shop.js';
import { CatalogModel, type ModelRow } from '../../support/models/linked-rows-model.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SKUS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const sku = fc.constantFrom(...SKUS);
const held = fc.uniqueArray(
  fc.record({
    sku: fc.oneof({ weight: 12, arbitrary: sku }, { weight: 1, arbitrary: fc.constant('nobody') }),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  {
    maxLength: 3,
    selector: (component) => component.sku,
  },
);
const fabric = fc.option(fc.constantFrom('wool', 'silk', null), { nil: undefined });
const gtin = fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined, freq: 1 });
const values = { sku, fabric, gtin };
const row: fc.Arbitrary<ModelRow> = fc
  .oneof(
    { weight: 3, arbitrary: fc.record(values) },
    { weight: 3, arbitrary: fc.record({ ...values, parentSku: sku }) },
    { weight: 1, arbitrary: fc.record({ ...values, parentSku: fc.constant(null) }) },
    { weight: 1, arbitrary: fc.record({ ...values, detach: fc.constant(true as const) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        ...values,
        type: fc.constant('BUNDLE' as const),
        bundleItems: fc.option(held, { freq: 6 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ ...values, type: fc.constant('BUNDLE' as const) }) },
  )
  .map(withoutGaps);
const trial = fc.record({
  files: fc.array(fc.array(row, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 3 }),
  chunkRows: fc.integer({ min: 3, max: 5 }),
  order: fc.infiniteStream(fc.nat(100)),
});

/** On a busy machine. One that is cut off goes on beside the next, and spoils it. */
const MOST_MS_A_RUN = 10_000;

/** @param runs how many catalogs are tried */
export function describeLinkTrials(runs: number): void {
  describe('random variants and bundles', function () {
    this.timeout(runs * MOST_MS_A_RUN);
    let world: World;
    const shops = new Map<boolean, Shop>();
    before(async () => {
      world = await startWorld();
      for (const unique of [false, true]) shops.set(unique, await newShop(unique));
    });
    after(() => world.stop());

    for (const unique of [false, true]) {
      for (const atOnce of [1, 4]) {
        it(`end as the model says, ${atOnce} at a time${unique ? ', with values that no two share' : ''}`, async () => {
          await fc.assert(
            fc.asyncProperty(trial, async ({ files, chunkRows, order }) => {
              const shop = shops.get(unique);
              assert.ok(shop);
              await empty(shop);
              const model = new CatalogModel();
              for (const rows of files.map((file) => (unique ? file : file.map(({ gtin: _, ...rest }) => rest)))) {
                const lines = rows.map((one) => JSON.stringify(elementOf(one))).join('\n');
                const { jobId, outboxEntries } = await world.acceptFile(shop, 'items.jsonl', lines);
                await run(outboxEntries, chunkRows, atOnce, order);
                const expected = model.apply(rows);
                const errors = await world.db('job_error').where({ job_id: jobId }).orderBy(['row_no', 'seq']);
                const codes = new Map(errors.map(({ row_no, code }) => [row_no, code]));
                assert.deepEqual(new Map([...codes].sort()), new Map([...expected].sort()));
                assert.deepEqual(await stored(shop), expectedItems(model));
              }
            }),
            { numRuns: runs },
          );
        });
      }
    }

    async function newShop(unique: boolean): Promise<Shop> {
      const shop = await world.newShop();
      const workers = await world.startWorkers();
      try {
        return await shop.define({
          attributes: [
            { name: 'Fabric', type: 'TEXT', validation: { inheritable: true } },
            { name: 'Gtin', type: 'TEXT', validation: { unique } },
          ],
          categories: { Kits: ['Fabric!', 'Gtin'] },
        });
      } finally {
        await workers.stop();
      }
    }

    async function empty({ siteId }: Shop): Promise<void> {
      for (const table of ['item', 'bundle_item', 'item_unique_value']) {
        await world.db(table).where({ site_id: siteId }).delete();
      }
    }

    /** Runs the job's steps, several at once and those in any order. */
    async function run(
      steps: readonly OutboxEntry[],
      chunkRows: number,
      atOnce: number,
      order: Iterator<number>,
    ): Promise<void> {
      const ahead = [...steps];
      const config = { ...world.services.config, chunkRows };
      const services: WorkerServices = {
        ...world.services,
        config,
        producer: unheard(world.services.producer, ahead),
      };
      while (ahead.length > 0) {
        const batch = Array.from({ length: Math.min(atOnce, ahead.length) }, () =>
          ahead.splice(Number(order.next().value ?? 0) % ahead.length, 1),
        );
        await Promise.all(batch.flat().map((step) => runStep(services, step)));
      }
    }

    async function stored({ siteId }: Shop): Promise<unknown[]> {
      const ids = await world.db('attribute').where({ site_id: siteId }).select('id', 'name');
      const idOf = (name: string) => ids.find((attribute) => attribute.name === name)?.id;
      const items = await world.db('item').where({ site_id: siteId }).orderBy('sku');
      const parts = await world.db('bundle_item').where({ site_id: siteId }).orderBy(['bundle_sku', 'position']);
      return items.map((item) => ({
        sku: item.sku,
        type: item.type === 'B' ? 'BUNDLE' : 'ITEM',
        status: item.status === 'L' ? 'LIVE' : 'DRAFT',
        parentSku: item.parent_sku,
        bundleItems: parts
          .filter(({ bundle_sku }) => bundle_sku === item.sku)
          .map((part) => ({ sku: part.sku, quantity: part.quantity })),
        fabric: item.attributes[idOf('Fabric')] ?? null,
        gtin: item.attributes[idOf('Gtin')] ?? null,
      }));
    }
  });
}

/** Plain objects, without what is undefined. */
function withoutGaps(made: object): ModelRow {
  return JSON.parse(JSON.stringify(made));
}

function elementOf({ fabric, gtin, ...rest }: ModelRow): object {
  const attributes = {
    ...(fabric === undefined ? {} : { Fabric: fabric }),
    ...(gtin === undefined ? {} : { Gtin: gtin }),
  };
  return { ...rest, nodeName: 'Kits', attributes };
}

function expectedItems(model: CatalogModel): unknown[] {
  return [...model.items]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([sku, item]) => ({ sku, status: model.statusOf(item), ...item }));
}
