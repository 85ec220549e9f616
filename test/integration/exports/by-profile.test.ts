/**
 * The example of each profile that comes with Longshore goes into an empty catalog; exported in the form of the profile and
 * imported by it, no item changes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { exportFile } from '../../support/http/exporting.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SHOPS = new URL('../../../../examples/shops/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, SHOPS), 'utf8');

/** The file of each example, in the order of its imports, and how many items each creates. */
const EXAMPLES: readonly (readonly (readonly [profile: string, file: string, items: number])[])[] = [
  [
    ['shopify-products', 'shopify.csv', 10],
    ['shopify-variants', 'shopify.csv', 31],
  ],
  [['woocommerce', 'woocommerce.csv', 38]],
  [['magento', 'magento.csv', 38]],
  [
    ['akeneo-models', 'akeneo-models.csv', 7],
    ['akeneo', 'akeneo.csv', 31],
  ],
  [['google-merchant', 'google-merchant.tsv', 30]],
  [['other-platform', 'other-platform.csv', 38]],
];

/** How many rows a file has below its header. */
function rowsOf(file: string): number {
  return Papa.parse(read(file), { skipEmptyLines: true }).data.length - 1;
}

describe('an export in the form of a profile', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 20 });
    await world.startWorkers();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
  });

  const tuples = ({ siteId }: Shop): Promise<unknown> =>
    world.db('item').where({ site_id: siteId }).orderBy('sku').select('sku', world.db.raw('ctid::text, xmin::text'));
  const failures = ({ status, message, errors }: Outcome) =>
    JSON.stringify({ status, message, errors: errors.slice(0, 3) });

  async function importExample(profile: string, name: string): Promise<Outcome> {
    const file = await shop.hold(read(name), { fileName: name });
    return shop.imported(file, JSON.parse(read(`${profile}.import.json`)));
  }

  for (const example of EXAMPLES) {
    it(`of ${example.map(([profile]) => profile).join(' and ')} reads the example into an empty catalog, and comes back unchanged`, async () => {
      for (const [profile, file, items] of example) {
        const outcome = await importExample(profile, file);
        assert.deepEqual([outcome.created, outcome.failed], [items, 0], `${profile}: ${failures(outcome)}`);
        // Rows of further images, of other views and of what has no key are not imported, and each is counted.
        const left = outcome.warnings.filter(({ code }) => code === 'ROW_LEFT_OUT');
        const leftOut = left.reduce((sum, { count }) => sum + count, 0);
        assert.equal(items + leftOut, rowsOf(file), `${profile}: ${JSON.stringify(left)}`);
      }
      const before = await tuples(shop);
      for (const [profile, , items] of example) {
        for (const format of ['CSV', 'XLSX']) {
          const { name, bytes, job } = await exportFile(shop, { body: { profile, format } });
          assert.equal(job.profile.name, profile);
          const warnings = JSON.stringify(job.warnings);
          const again = await shop.importFile(name, bytes, { profile });
          assert.deepEqual(
            [again.status, again.unchanged, again.failed],
            ['COMPLETED', again.total, 0],
            `${profile} as ${format}: ${failures(again)} ${warnings}`,
          );
          assert.ok((again.total ?? 0) >= items, `${again.total} rows of ${profile}`);
          const lost = job.warnings.filter(({ code }: { code: string }) => code === 'CELL_NOT_WRITTEN');
          assert.deepEqual(lost, [], `${profile} as ${format}`);
        }
      }
      assert.deepEqual(await tuples(shop), before);
    });
  }
});
