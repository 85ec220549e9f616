/** Declares what must hold of each profile that comes with Longshore: what is exported by it and imported again changes no item. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { ATTRIBUTE_TYPE_NAMES } from '../../../src/domain/catalog/model/attribute-definition.js';
import { documentOf, SHIPPED_PROFILES } from '../../../src/domain/profiles/shipped/registry.js';
import { exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { catalogOf, type RandomCatalog } from '../../support/models/random-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { fill } from './round-trips.trials.js';

/** The attributes that the example of a profile defines, and a category that the profile can say. */
function expectedBy(name: string) {
  const { missing } = JSON.parse(readFileSync(`examples/shops/${name}.import.json`, 'utf8'));
  const shipped = SHIPPED_PROFILES.find((profile) => profile.name === name);
  assert.ok(shipped);
  const columns = documentOf(shipped).columns;
  const filled = new Set(columns.map(({ to }) => to));
  const attributes = missing.attributes.filter((attribute: { name: string }) => filled.has(attribute.name));
  const catalogs = catalogOf(attributes, columns.find(({ to }) => to === 'Category Node')?.constant ?? 'Hats');
  if (name === 'shopify-products') return fc.oneof(catalogs, catalogs.chain(withImages));
  return name === 'shopify-variants-by-options' ? catalogs.map(namedByOptions) : catalogs;
}

/** The first item, and variants of it whose SKUs are made of its own and of their options, as an import of the file makes them. */
function namedByOptions(catalog: RandomCatalog): RandomCatalog {
  const [first, ...others] = catalog.items;
  if (first === undefined) return catalog;
  const at = [1, 2].map((option) => catalog.attributes.findIndex(({ name }) => name === `Option ${option}`));
  const attributes = catalog.attributes.map((attribute, index): (typeof catalog.attributes)[number] =>
    /^Option /.test(attribute.name) ? { name: attribute.name, type: 'TEXT' } : (catalog.attributes[index] ?? attribute),
  );
  const third = catalog.attributes.findIndex(({ name }) => name === 'Option 3');
  const { [at[0] as number]: _one, [at[1] as number]: _two, [third]: _three, ...kept } = first.values;
  const parent = { ...first, sku: 'shirt, "wide"', category: 0, values: kept };
  const items = others.map((item, index) => {
    const options = [`Size ${index} / ${item.sku.length}`, ...(index % 2 === 0 ? ['Red'] : [])];
    const { [third]: _third, [at[1] as number]: _second, ...values } = item.values;
    const own = Object.fromEntries(options.map((option, place) => [at[place], option]));
    return {
      ...item,
      sku: [parent.sku, ...options].join('/'),
      category: 0,
      isVariant: true,
      values: { ...values, ...own },
    };
  });
  return { ...catalog, attributes, items: [parent, ...items] };
}

const IMAGES = fc.array(
  fc.webUrl().map((url) => url.replaceAll(';', '')),
  { minLength: 1, maxLength: 5 },
);

/** Most items with several images, of which the first is the image, as an import of the file makes them. */
function withImages(catalog: RandomCatalog): fc.Arbitrary<RandomCatalog> {
  const all = catalog.attributes.findIndex(({ name }) => name === 'Images');
  const first = catalog.attributes.findIndex(({ name }) => name === 'Image');
  assert.ok(all >= 0 && first >= 0);
  const { items } = catalog;
  const attributes = catalog.attributes.map((attribute, index): (typeof catalog.attributes)[number] =>
    index === all || index === first ? { name: attribute.name, type: index === all ? 'TEXT' : 'URL' } : attribute,
  );
  const chosen = fc.array(fc.option(IMAGES, { freq: 4 }), { minLength: items.length, maxLength: items.length });
  return chosen.map((images) => ({
    ...catalog,
    attributes,
    items: items.map((item, index) => {
      const { [all]: _all, [first]: _first, ...values } = item.values;
      const own = images[index] ?? null;
      return { ...item, values: own === null ? values : { ...values, [all]: own.join(';'), [first]: own[0] } };
    }),
  }));
}

interface ShippedTrials {
  /** For each profile. */
  readonly runs: number;
  /** What few runs show of values of every type is the same each time. */
  readonly seed: number;
}

export function runShippedRoundTrips({ runs, seed }: ShippedTrials): void {
  let world: World;
  /** The types of which an item kept its value in a file. */
  const written = new Set<string>();
  before(async () => {
    world = await startWorld({ environment: { WORKER_CHUNK_ROWS: '5' } });
    await world.startWorkers();
  });
  after(() => world.stop());

  for (const { name: profile } of SHIPPED_PROFILES) {
    it(`is so for ${profile}`, async () => {
      const format = fc.constantFrom('CSV', 'CSV', 'XLSX');
      await fc.assert(
        fc.asyncProperty(expectedBy(profile), format, async (catalog, fileFormat) => {
          await changesNothing(await world.newShop(), catalog, { profile, format: fileFormat });
        }),
        { numRuns: runs, seed },
      );
    });
  }

  it('shows this of values of every type', () => {
    const types: readonly string[] = ATTRIBUTE_TYPE_NAMES;
    assert.deepEqual(
      types.filter((type) => !written.has(type)),
      [],
    );
  });

  async function changesNothing(
    shop: Shop,
    catalog: RandomCatalog,
    body: { readonly profile: string; readonly format: string },
  ): Promise<void> {
    await fill(shop, catalog);
    const before = await tuples(shop);
    const { name, bytes, job } = await exportFile(shop, { body });
    const leftOut = job.warnings
      .filter((line: { code: string }) => line.code === 'ITEM_LEFT_OUT')
      .reduce((all: number, { count }: { count: number }) => all + count, 0);
    const rows = job.progressTracker.totalCount;
    assert.equal(rows + leftOut, catalog.items.length, JSON.stringify(job));
    // A trial in which the profile can say no item shows nothing: another one takes its place.
    fc.pre(rows > 0);
    const again = await shop.importFile(name, bytes, { profile: body.profile });
    const found = [again.status, again.total, again.unchanged, again.failed];
    assert.deepEqual(found, ['COMPLETED', rows, rows, 0], `${JSON.stringify([again, job.warnings])}\n${bytes}`);
    assert.deepEqual(await tuples(shop), before);
    if (leftOut > 0) return;
    const lost = new Set(job.warnings.map(({ path }: { path: string | null }) => path));
    catalog.attributes.forEach(({ name: column, type }, index) => {
      const isHeld = catalog.items.some(({ values }) => values[index] !== undefined);
      if (isHeld && !lost.has(column)) written.add(type ?? '');
    });
  }

  function tuples({ siteId }: Shop): Promise<unknown> {
    return world
      .db('item')
      .where({ site_id: siteId })
      .orderBy('sku')
      .select('sku', world.db.raw('ctid::text, xmin::text'));
  }
}
