/**
 * Whatever a catalog holds and whatever a profile says: an export in its form that is imported by it changes no item, and says which
 * items and cells it could not write.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { type RandomCatalog, randomCatalog } from '../../support/models/random-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { fill } from './round-trips.trials.js';

const number = fc.record({
  step: fc.constant('number'),
  ...{ decimal: fc.constant(','), thousands: fc.constantFrom('.', ' ', "'", '') },
  currency: fc.constantFrom([], ['€']),
});
const date = fc.constantFrom(
  ['dd.MM.yyyy'],
  ['dd.MM.yyyy HH:mm', 'dd.MM.yyyy'],
  ['yyyy/MM/dd HH:mm:ss.SSSXXX', 'yyyyMMdd'],
);
const textSteps = fc.array(
  fc.constantFrom(
    ...[{ step: 'trim' }, { step: 'stripHtml' }, { step: 'collapseSpaces' }, { step: 'suffix', text: '!' }],
    ...[
      { step: 'case', to: 'upper' },
      { step: 'replace', table: { x: 'NULL', y: 'Red' }, otherwise: 'keep' },
    ],
  ),
  { maxLength: 2 },
);

/** Steps that read the values of a type; now and then none. */
function stepsFor(type: string | undefined): fc.Arbitrary<readonly unknown[]> {
  const none = fc.constant<unknown[]>([]);
  if (type === 'TEXT' || type === 'URL') return textSteps;
  if (type === 'BOOLEAN') return fc.oneof(none, fc.constant([{ step: 'boolean', true: ['ja'], false: ['nein'] }]));
  if (type === 'DATETIME')
    return fc.oneof(
      none,
      date.map((formats) => [{ step: 'date', formats }]),
    );
  if (type === 'OPTIONS') return fc.oneof(none, fc.constant([{ step: 'list', separator: '|' }]));
  return fc.oneof(
    none,
    number.map((step) => [step]),
  );
}

const format = fc
  .record(
    {
      encoding: fc.constantFrom('utf-8', 'windows-1252', 'utf-16le', 'shift_jis'),
      delimiter: fc.constantFrom(';', '|', '\t', ','),
      quote: fc.constantFrom('"', "'", ''),
      escape: fc.constantFrom('\\' as const),
      headerRow: fc.constantFrom(1, 2, 5),
      skipFirst: fc.constantFrom(0, 2),
      skipLast: fc.constantFrom(0, 1, 3),
    },
    { requiredKeys: [] },
  )
  .map(({ escape: mark, ...others }) =>
    mark === undefined || others.quote === '' ? others : { ...others, escape: mark },
  );

const cases = randomCatalog.chain((catalog) => {
  const rules = catalog.attributes.map(({ type }) => stepsFor(type));
  const categories = fc.constantFrom([], [{ step: 'path', separator: ' > ' }]);
  return fc.record({
    catalog: fc.constant(catalog),
    format,
    steps: fc.tuple(...rules),
    categorySteps: categories,
    fileFormat: fc.constantFrom('CSV', 'CSV', 'XLSX'),
    gzip: fc.boolean(),
  });
});

describe('an export in the form of any profile', function () {
  this.timeout(180_000);
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { WORKER_CHUNK_ROWS: '5' } });
    await world.startWorkers();
  });
  after(() => world.stop());

  const tuples = ({ siteId }: Shop): Promise<unknown> =>
    world.db('item').where({ site_id: siteId }).orderBy('sku').select('sku', world.db.raw('ctid::text, xmin::text'));

  function profileOf({ attributes }: RandomCatalog, steps: readonly unknown[], categorySteps: readonly unknown[]) {
    return [
      { to: 'Category Node', from: 'Warengruppe', steps: categorySteps },
      { to: 'SKU', from: 'Artikel-Nr.' },
      { to: 'Parent SKU', from: 'Vater' },
      ...attributes.map(({ name }, index) => ({ to: name, from: `Spalte ${index}`, steps: steps[index] })),
      { to: null, from: 'Notiz' },
    ];
  }

  it('changes nothing when it comes back', async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ catalog, format: given, steps, categorySteps, fileFormat, gzip }) => {
        const shop = await world.newShop();
        await fill(shop, catalog);
        const before = await tuples(shop);
        const profile = { fileType: 'ITEM_IMPORT', format: given, columns: profileOf(catalog, steps, categorySteps) };
        const packed = fileFormat === 'CSV' && gzip ? { gzip } : {};
        const { name, bytes, job } = await exportFile(shop, { body: { profile, format: fileFormat, ...packed } });
        const sum = (code: string) =>
          job.warnings
            .filter((line: { code: string }) => line.code === code)
            .reduce((all: number, { count }: { count: number }) => all + count, 0);
        const rows = job.progressTracker.totalCount;
        assert.equal(rows + sum('ITEM_LEFT_OUT'), catalog.items.length, JSON.stringify(job));
        if (rows === 0) return;
        written += rows;
        const again = await shop.importFile(name.replace(/\.gz$/, ''), bytes, { profile });
        const found = [again.status, again.total, again.unchanged, again.failed];
        assert.deepEqual(found, ['COMPLETED', rows, rows, 0], `${JSON.stringify([again, job.warnings])}\n${bytes}`);
        assert.deepEqual(await tuples(shop), before);
      }),
      { numRuns: 12 },
    );
    assert.ok(written > 12, `${written} rows were written`);
  });
});
