/** Declares what must hold of every catalog: exported and imported again it is the same, and the same bytes. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Entity, exportFile } from '../../support/http/exporting.js';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { type RandomCatalog, randomCatalog } from '../../support/models/random-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';

interface Writing {
  readonly format: 'CSV' | 'JSONL' | 'XLSX';
  readonly delimiter: string;
  readonly decimalSeparator: string;
  readonly bom: boolean;
  readonly gzip: boolean;
}

const writing: fc.Arbitrary<Writing> = fc.record({
  format: fc.constantFrom('CSV', 'CSV', 'JSONL', 'XLSX'),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimalSeparator: fc.constantFrom('.', ','),
  bom: fc.boolean(),
  gzip: fc.boolean(),
});

export function runRoundTrips({ runs }: { readonly runs: number }): void {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { WORKER_CHUNK_ROWS: '5' } });
    await world.startWorkers();
  });
  after(() => world.stop());

  it('give the same catalog and the same bytes, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(randomCatalog, writing, async (catalog, how) => {
        const shop = await world.newShop();
        await fill(shop, catalog);
        await staysAsItIs(shop, catalog, how);
        await isTheSameElsewhere(shop, await world.newShop(), catalog, how);
      }),
      { numRuns: runs },
    );
  });

  /** Every entity, in the order in which a site is set up. */
  function entitiesOf({ bundles }: RandomCatalog): readonly Entity[] {
    return ['attribute', 'category', 'product', ...(bundles.length > 0 ? (['bundle'] as const) : [])];
  }

  /** Every row is unchanged, and no tuple is written. */
  async function staysAsItIs(shop: Shop, catalog: RandomCatalog, how: Writing): Promise<void> {
    for (const entity of entitiesOf(catalog)) {
      const file = await exportAs(shop, entity, how);
      const before = await tuples(shop, entity);
      const read = await importAs(shop, entity, file, how);
      assert.deepEqual([read.status, read.unchanged], ['COMPLETED', read.total], `${entity} ${JSON.stringify(read)}`);
      assert.deepEqual(await tuples(shop, entity), before, entity);
    }
  }

  async function isTheSameElsewhere(shop: Shop, other: Shop, catalog: RandomCatalog, how: Writing): Promise<void> {
    for (const entity of entitiesOf(catalog)) {
      const read = await importAs(other, entity, await exportAs(shop, entity, how), how);
      assert.deepEqual([read.status, read.failed], ['COMPLETED', 0], `${entity} ${JSON.stringify(read)}`);
    }
    for (const entity of entitiesOf(catalog)) {
      const [one, another] = [await exportAs(shop, entity, how), await exportAs(other, entity, how)];
      assert.ok(one.equals(another), `${entity}: ${one.toString()}\nand ${another.toString()}`);
    }
    assert.deepEqual(await contentOf(other), await contentOf(shop));
  }

  /** Where every record lies, and who wrote it. */
  async function tuples({ siteId }: Shop, entity: Entity): Promise<unknown> {
    const versions = world.db.raw('ctid::text, xmin::text');
    const of = (table: string) => world.db(table).where({ site_id: siteId }).orderBy('ctid').select(versions);
    // Numbers of SERIAL attributes are reserved before it is known that none is needed: their attribute is written then.
    return Promise.all((entity === 'attribute' || entity === 'category' ? [entity] : ['item', 'bundle_item']).map(of));
  }

  /** What the API shows of the items, but for ids and times. */
  async function contentOf(shop: Shop): Promise<unknown> {
    return (await shop.items()).map(({ sku, status, nodeName, parentSku, attributes }) => {
      return { sku, status, nodeName, parentSku, attributes };
    });
  }
}

/** Creates a catalog. */
export async function fill(shop: Shop, catalog: RandomCatalog): Promise<void> {
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
  const sets = catalog.bundles.map(({ sku, category, holds }) => ({
    ...{ sku, type: 'BUNDLE', nodeId: nodeIds[category] },
    bundleItems: holds.map(({ item, quantity }) => ({ sku: catalog.items[item]?.sku, quantity })),
  }));
  const answer = await shop.bulk('insert', [...rows, ...sets]);
  assert.deepEqual(answer.body.failed, [], JSON.stringify(answer.body));
}

async function makeCategories(shop: Shop, { categories, attributes, areAtTop }: RandomCatalog): Promise<number[]> {
  const path = '/api-category/v1/category';
  const itemAttributes = attributes.map(({ name }) => ({ name }));
  const make = async (body: object): Promise<number> => (await shop.ask('POST', path, { body })).nodeId;
  const assign = (nodeId: number) => shop.ask('POST', `${path}/item-attribute`, { body: { nodeId, itemAttributes } });
  const top = areAtTop === true ? null : await make({ name: 'Top -> \\' });
  if (top !== null) await assign(top);
  const nodeIds: number[] = [];
  for (const name of categories) {
    const nodeId = await make(top === null ? { name } : { name, parentNodeId: top });
    if (top === null) await assign(nodeId);
    nodeIds.push(nodeId);
  }
  return nodeIds;
}

async function exportAs(shop: Shop, entity: Entity, { format, gzip, ...csv }: Writing): Promise<Buffer> {
  const body = { format, gzip: gzip && format !== 'XLSX', ...(format === 'CSV' ? csv : {}) };
  return (await exportFile(shop, { entity, body })).bytes;
}

const IMPORTS = {
  attribute: 'ATTRIBUTE_IMPORT',
  category: 'CATEGORY_IMPORT',
  product: 'ITEM_IMPORT',
  bundle: 'BUNDLE_IMPORT',
} as const;

const ENDINGS = { CSV: 'csv', JSONL: 'jsonl', XLSX: 'xlsx' } as const;

/** The delimiter is left for the import to find. */
function importAs(
  shop: Shop,
  entity: Entity,
  bytes: Buffer,
  { format, decimalSeparator, gzip }: Writing,
): Promise<Outcome> {
  const options = format === 'CSV' ? { decimalSeparator } : {};
  const packed = gzip && format !== 'XLSX';
  const name = `again.${ENDINGS[format]}${packed ? '.gz' : ''}`;
  return shop.importFile(name, packed ? gzipSync(bytes) : bytes, options, { type: IMPORTS[entity] });
}
