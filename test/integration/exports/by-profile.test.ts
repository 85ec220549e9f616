/**
 * The example of each profile that comes with Longshore goes into an empty catalog; exported in the form of the profile and
 * imported by it, no item changes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { documentOf, shippedProfile } from '../../../src/domain/profiles/shipped/registry.js';
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
  [
    ['shopify-products', 'shopify.csv', 10],
    ['shopify-variants-by-options', 'shopify.csv', 31],
  ],
  [['woocommerce', 'woocommerce.csv', 38]],
  [['magento', 'magento.csv', 38]],
  [
    ['akeneo-models', 'akeneo-models.csv', 7],
    ['akeneo', 'akeneo.csv', 31],
  ],
  [['google-merchant', 'google-merchant.tsv', 30]],
  [['google-merchant-csv', 'google-merchant.csv', 30]],
  [['other-platform', 'other-platform.csv', 38]],
  [['prestashop', 'prestashop.csv', 10]],
  [['shopware', 'shopware.csv', 38]],
];

/** How many rows a file has below its header. */
function rowsOf(file: string): number {
  return Papa.parse(read(file), { skipEmptyLines: true }).data.length - 1;
}

/** How many rows of a file continue others by a profile: they are a part of the item above them. */
function continuedIn(file: string, profile: string): number {
  const shipped = shippedProfile(profile);
  assert.ok(shipped);
  const { when } = documentOf(shipped).continuationRows ?? {};
  if (when === undefined) return 0;
  const { data } = Papa.parse<Record<string, string>>(read(file), { header: true, skipEmptyLines: true });
  return data.filter((row) => row[when.column] === '').length;
}

/** The images of each product of the example, in their order. */
function imagesIn(text: string): Map<string, string[]> {
  const images = new Map<string, string[]>();
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  const sorted = data.sort((one, other) => Number(one['Image Position']) - Number(other['Image Position']));
  for (const { Handle: handle = '', 'Image Src': source = '' } of sorted)
    if (source !== '') images.set(handle, [...(images.get(handle) ?? []), source]);
  return images;
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

  it('of products of Shopify has a row for each image, in whatever order they came', async () => {
    const given = imagesIn(read('shopify.csv'));
    assert.ok([...given.values()].some(({ length }) => length > 3));
    const [header = '', ...lines] = read('shopify.csv').split(/\n(?=[a-z0-9-]+,)/);
    // The rows of images of the last product but one come in the opposite order: their positions tell.
    const at = lines.findIndex((line) => line.startsWith('tent-for-two,'));
    const behind = lines.filter((line) => line.startsWith('tent-for-two,')).length - 1;
    const turned = [
      ...lines.slice(0, at + 1),
      ...lines.slice(at + 1, at + 1 + behind).reverse(),
      ...lines.slice(at + 1 + behind),
    ];
    const file = await shop.hold([header, ...turned].join('\n'), { fileName: 'shopify.csv' });
    const outcome = await shop.imported(file, JSON.parse(read('shopify-products.import.json')));
    assert.deepEqual([outcome.created, outcome.failed], [10, 0], failures(outcome));
    assert.ok(outcome.warnings.every(({ code }) => code !== 'ROW_LEFT_OUT'));
    assert.deepEqual(
      new Map(Object.entries(await shop.values('Images')).map(([sku, images]) => [sku, String(images).split(';')])),
      given,
    );
    const { bytes, job } = await exportFile(shop, { body: { profile: 'shopify-products', format: 'CSV' } });
    assert.equal(job.progressTracker.totalCount, 10);
    assert.deepEqual(imagesIn(bytes.toString()), given);
  });

  for (const example of EXAMPLES) {
    it(`of ${example.map(([profile]) => profile).join(' and ')} reads the example into an empty catalog, and comes back unchanged`, async () => {
      for (const [profile, file, items] of example) {
        const outcome = await importExample(profile, file);
        assert.deepEqual([outcome.created, outcome.failed], [items, 0], `${profile}: ${failures(outcome)}`);
        // Rows of further images, of other views and of what has no key are not imported, and each is counted.
        const left = outcome.warnings.filter(({ code }) => code === 'ROW_LEFT_OUT');
        const leftOut = left.reduce((sum, { count }) => sum + count, 0);
        assert.equal(items + leftOut + continuedIn(file, profile), rowsOf(file), `${profile}: ${JSON.stringify(left)}`);
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
