/** Exports of attributes and of categories in the form of a profile: imported by it, nothing changes. */
import assert from 'node:assert/strict';
import { askForExport, exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WORDS = { step: 'boolean', true: ['ja'], false: ['nein'] };
const ATTRIBUTES = {
  fileType: 'ATTRIBUTE_IMPORT',
  format: { encoding: 'windows-1252', delimiter: ';', headerRow: 2 },
  columns: [
    { to: 'Attribute Title', from: 'Merkmal' },
    {
      to: 'Type of Attribute',
      from: 'Art',
      steps: [{ step: 'replace', table: { Text: 'SHORT TEXT', Zahl: 'NUMBER', Liste: 'LOV', Schalter: 'BOOLEAN' } }],
    },
    { to: 'Description', from: 'Hinweis' },
    { to: 'Unique', from: 'eindeutig', steps: [WORDS] },
    { to: 'Max', from: 'bis', steps: [{ step: 'number', decimal: ',' }] },
    { to: 'Value 1', from: 'Werte', split: { separator: '|', part: 1 } },
    { to: 'Value 2', from: 'Werte', split: { separator: '|', part: 2 } },
    { to: null, from: 'Notiz' },
  ],
};
const CATEGORIES = {
  fileType: 'CATEGORY_IMPORT',
  format: { delimiter: '\t' },
  columns: [
    { to: 'Category Path', from: 'Pfad', steps: [{ step: 'path', separator: ' > ' }] },
    { to: 'Type', from: 'Baum', steps: [{ step: 'replace', table: { Haupt: 'PRIMARY', Neben: 'ALTERNATE' } }] },
    { to: 'Active', from: 'aktiv', steps: [WORDS] },
    { to: 'Item Attributes', from: 'Merkmale' },
  ],
};

describe('an export of definitions in the form of a profile', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: [
        {
          name: 'Titel',
          type: 'TEXT',
          textSubType: 'SMALL_TEXT',
          description: 'für "alle"; auch hier',
          validation: { unique: true },
        },
        { name: 'Preis', type: 'DECIMAL', validation: { range: { max: 99.5 } } },
        { name: 'Stück', type: 'INTEGER' },
        { name: 'Farbe', type: 'OPTIONS', options: ['rot', 'blau'] },
        { name: 'Größe', type: 'OPTIONS', options: ['S', 'M', 'L'] },
        { name: 'Seit', type: 'DATETIME' },
      ],
      categories: { 'Räder->City': ['Titel', 'Farbe'], 'Räder->2024': [], Zubehör: ['Preis'] },
    });
  });

  const stored = (table: string) =>
    world.db(table).where({ site_id: shop.siteId }).orderBy('id').select('id', world.db.raw('ctid::text, xmin::text'));
  const warned = (job: { warnings: readonly Record<string, unknown>[] }) =>
    job.warnings.map(({ code, path, count }) => [code, path, count]);

  it('writes attributes, leaves out those that would be others without their rest, and reads them back unchanged', async () => {
    const before = await stored('attribute');
    for (const format of ['CSV', 'XLSX']) {
      const { bytes, name, job } = await exportFile(shop, {
        entity: 'attribute',
        body: { profile: ATTRIBUTES, format },
      });
      if (format === 'CSV') {
        assert.deepEqual(bytes.toString('latin1').trimEnd().split('\n'), [
          '',
          'Merkmal;Art;Hinweis;eindeutig;bis;Werte;Notiz',
          'Titel;Text;"für ""alle""; auch hier";ja;;;',
          'Preis;Zahl;;nein;99,5;;',
          'Stück;Zahl;;nein;;;',
          'Farbe;Liste;;nein;;rot|blau;',
          'Seit;;;nein;;;',
        ]);
      }
      assert.deepEqual(warned(job), [
        ['RECORD_LEFT_OUT', null, 1],
        ['CELL_NOT_WRITTEN', 'Type of Attribute', 1],
      ]);
      assert.match(JSON.stringify(job.warnings), /the attribute \\"Größe\\" is left out because/);
      const again = await shop.importFile(name, bytes, { profile: ATTRIBUTES }, { type: 'ATTRIBUTE_IMPORT' });
      assert.deepEqual([again.status, again.unchanged, again.failed], ['COMPLETED', 5, 0], JSON.stringify(again));
    }
    assert.deepEqual(await stored('attribute'), before);
  });

  it('writes categories of both trees, and reads them back unchanged', async () => {
    const tree = { type: 'ALTERNATE', active: false };
    const body = ['Marken', 'Marken->Öko'].map((path) => ({ path, ...tree }));
    assert.deepEqual((await shop.bulkCategories(body)).body.categories.failed, []);
    const before = await stored('category');
    for (const format of ['CSV', 'XLSX']) {
      const { text, name, bytes, job } = await exportFile(shop, {
        entity: 'category',
        body: { profile: CATEGORIES, format },
      });
      if (format === 'CSV') {
        assert.match(text, /^Pfad\tBaum\taktiv\tMerkmale\nPRIMARY\tHaupt\tja\tNULL\nRäder\tHaupt\tja\tNULL\n/);
        assert.match(text, /^Räder > City\tHaupt\tja\tTitel.*Farbe$/m);
        assert.match(text, /^Marken > Öko\tNeben\tnein\t$/m);
      }
      assert.deepEqual(warned(job), []);
      const again = await shop.importFile(name, bytes, { profile: CATEGORIES }, { type: 'CATEGORY_IMPORT' });
      assert.deepEqual([again.status, again.unchanged, again.failed], ['COMPLETED', 7, 0], JSON.stringify(again));
    }
    assert.deepEqual(await stored('category'), before);
    const columns = CATEGORIES.columns.filter(({ to }) => to !== 'Type');
    const { text, job } = await exportFile(shop, { entity: 'category', body: { profile: { ...CATEGORIES, columns } } });
    assert.doesNotMatch(text, /Marken/, 'without its tree it would be a category of the primary one');
    assert.deepEqual(warned(job), [['RECORD_LEFT_OUT', null, 2]]);
  });

  it('writes a file by a saved profile, which the job names', async () => {
    await shop.ask('POST', '/import-profiles', { body: { name: 'Baum', profile: CATEGORIES } });
    const { job, text } = await exportFile(shop, { entity: 'category', body: { profile: 'baum' } });
    assert.deepEqual(job.profile, { name: 'Baum', version: 1 });
    assert.match(text, /^Pfad\t/);
  });

  it('is refused where the profile is for other files, fills no key, or contradicts the request', async () => {
    const refusal = async (entity: 'attribute' | 'category', body: object) => {
      const { status, text } = await askForExport(shop, { entity, body: { ...body } });
      assert.equal(status, 400, text);
      return text;
    };
    assert.match(
      await refusal('attribute', { profile: 'shopify-products' }),
      /reads files of the type ITEM_IMPORT, and this export writes ATTRIBUTE_IMPORT/,
    );
    assert.match(await refusal('category', { profile: ATTRIBUTES }), /ATTRIBUTE_IMPORT.*CATEGORY_IMPORT/);
    const [, ...columns] = CATEGORIES.columns;
    assert.match(await refusal('category', { profile: { ...CATEGORIES, columns } }), /Category Path/);
    const other = [...ATTRIBUTES.columns, { to: 'Colour', from: 'x' }];
    assert.match(await refusal('attribute', { profile: { ...ATTRIBUTES, columns: other } }), /Colour/);
    assert.match(await refusal('attribute', { profile: ATTRIBUTES, delimiter: ';' }), /delimiter.*said by the profile/);
    assert.match(await refusal('category', { profile: CATEGORIES, format: 'JSONL' }), /has no columns/);
  });
});
