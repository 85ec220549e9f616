/** Declares what must hold of every catalog: exported and imported again it is the same, and the same bytes. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { exportFile } from './exporting.js';
import { type JobWorld, startJobWorld } from './job-world.js';
import { type RandomCatalog, randomCatalog } from './random-catalog.js';
import type { Outcome, Shop } from './shop.js';

interface Writing {
  readonly format: 'CSV' | 'JSONL';
  readonly delimiter: string;
  readonly decimalSeparator: string;
  readonly bom: boolean;
  readonly gzip: boolean;
}

const writing: fc.Arbitrary<Writing> = fc.record({
  format: fc.constantFrom('CSV', 'CSV', 'JSONL'),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimalSeparator: fc.constantFrom('.', ','),
  bom: fc.boolean(),
  gzip: fc.boolean(),
});

export function runRoundTrips({ runs }: { readonly runs: number }): void {
  let world: JobWorld;
  before(async () => {
    world = await startJobWorld({ environment: { WORKER_CHUNK_ROWS: '5' } });
    await world.startWorkers();
  });
  after(() => world.stop());

  it('give the same catalog and the same bytes, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(randomCatalog, writing, async (catalog, how) => {
        const shop = await world.newShop();
        await fill(shop, catalog);
        await staysAsItIs(shop, how);
        await isTheSameElsewhere(shop, await world.newShop(), catalog, how);
      }),
      { numRuns: runs },
    );
  });

  /** Every row is unchanged, and no tuple is written. */
  async function staysAsItIs(shop: Shop, how: Writing): Promise<void> {
    const attributes = await exportAs(shop, 'attribute', how);
    const read = await importAs(shop, 'ATTRIBUTE_IMPORT', attributes, how);
    assert.deepEqual([read.status, read.unchanged], ['COMPLETED', read.total], JSON.stringify(read));
    const items = await exportAs(shop, 'product', how);
    const before = await tuples(shop);
    const again = await importAs(shop, 'ITEM_IMPORT', items, how);
    assert.deepEqual([again.status, again.unchanged], ['COMPLETED', again.total], JSON.stringify(again));
    assert.deepEqual(await tuples(shop), before);
  }

  async function isTheSameElsewhere(shop: Shop, other: Shop, catalog: RandomCatalog, how: Writing): Promise<void> {
    const attributes = await exportAs(shop, 'attribute', how);
    const items = await exportAs(shop, 'product', how);
    const made = await importAs(other, 'ATTRIBUTE_IMPORT', attributes, how);
    assert.deepEqual([made.status, made.created], ['COMPLETED', catalog.attributes.length], JSON.stringify(made));
    await makeCategories(other, catalog);
    const read = await importAs(other, 'ITEM_IMPORT', items, how);
    assert.deepEqual([read.status, read.created], ['COMPLETED', catalog.items.length], JSON.stringify(read));
    assert.equal(await exportAs(other, 'attribute', how), attributes);
    assert.equal(await exportAs(other, 'product', how), items);
    assert.deepEqual(await contentOf(other), await contentOf(shop));
  }

  /** Where each item lies, and who wrote it. */
  function tuples(shop: Shop): Promise<unknown> {
    const versions = world.db.raw('ctid::text, xmin::text');
    return world.db('item').where({ site_id: shop.siteId }).orderBy('sku').select('sku', versions);
  }

  /** What the API shows of the items, but for ids and times. */
  async function contentOf(shop: Shop): Promise<unknown> {
    return (await shop.items()).map(({ sku, status, nodeName, parentSku, attributes }) => {
      return { sku, status, nodeName, parentSku, attributes };
    });
  }
}

async function fill(shop: Shop, catalog: RandomCatalog): Promise<void> {
  const made = await shop.bulkAttributes(catalog.attributes);
  assert.deepEqual(made.body.attributes?.failed, [], JSON.stringify(made.body));
  const nodeIds = await makeCategories(shop, catalog);
  const [first] = catalog.items;
  const rows = catalog.items.map(({ sku, category, values, isVariant }, index) => ({
    sku,
    nodeId: nodeIds[category],
    attributeValues: Object.entries(values).map(([at, value]) => ({
      name: catalog.attributes[Number(at)]?.name,
      value,
    })),
    ...(isVariant && index > 0 ? { parentSku: first?.sku } : {}),
  }));
  const answer = await shop.bulk('insert', rows);
  assert.deepEqual(answer.body.failed, [], JSON.stringify(answer.body));
}

async function makeCategories(shop: Shop, { categories, attributes }: RandomCatalog): Promise<number[]> {
  const path = '/api-category/v1/category';
  const top = await shop.ask('POST', path, { body: { name: 'Top -> \\' } });
  const itemAttributes = attributes.map(({ name }) => ({ name }));
  await shop.ask('POST', `${path}/item-attribute`, { body: { nodeId: top.nodeId, itemAttributes } });
  const nodeIds: number[] = [];
  for (const name of categories) {
    nodeIds.push((await shop.ask('POST', path, { body: { name, parentNodeId: top.nodeId } })).nodeId);
  }
  return nodeIds;
}

async function exportAs(
  shop: Shop,
  entity: 'attribute' | 'product',
  { format, gzip, ...csv }: Writing,
): Promise<string> {
  return (await exportFile(shop, { entity, body: { format, gzip, ...(format === 'CSV' ? csv : {}) } })).text;
}

/** The delimiter is left for the import to find. */
function importAs(
  shop: Shop,
  type: string,
  text: string,
  { format, decimalSeparator, gzip }: Writing,
): Promise<Outcome> {
  const name = `again.${format === 'CSV' ? 'csv' : 'jsonl'}${gzip ? '.gz' : ''}`;
  const options = format === 'CSV' ? { decimalSeparator } : {};
  return shop.importFile(name, gzip ? gzipSync(text) : text, options, { type });
}
