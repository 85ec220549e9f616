/** Imports by a profile of each type and format of files, as dry runs, all or nothing, and with definitions that they create. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Shop } from '../../support/http/shop.js';
import { places } from '../../support/http/shop.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const NUMBER = { step: 'number', decimal: ',', thousands: '.' };
const PATH = { step: 'path', separator: '>' };
const ITEMS = {
  fileType: 'ITEM_IMPORT',
  columns: [
    { to: 'SKU', from: 'Nr' },
    { to: 'Category Node', from: 'Gruppe', steps: [PATH] },
    { to: 'Price', from: 'VK', steps: [NUMBER] },
  ],
};
const FILE = 'Nr;Gruppe;VK\na;Hüte > Filz;1.000,5\nb;Hüte > Filz;gratis\n';

describe('imports by a profile', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers({}, BULK_ONLY);
  });
  beforeEach(async () => {
    shop = await world.newShop();
  });
  after(() => world.stop());
  const defined = () =>
    shop.define({ attributes: [{ name: 'Price', type: 'DECIMAL' }], categories: { 'Hüte->Filz': ['Price'] } });

  it('define attributes', async () => {
    const words = { step: 'replace', table: { Zahl: 'NUMBER', Liste: 'LOV' } };
    const profile = {
      fileType: 'ATTRIBUTE_IMPORT',
      columns: [
        { to: 'Attribute Title', from: 'Merkmal' },
        { to: 'Type of Attribute', from: 'Art', steps: [words] },
        { to: 'Decimal', constant: 'TRUE' },
        { to: 'Value 1', from: 'Werte', split: { separator: '|', part: 1 } },
        { to: 'Value 2', from: 'Werte', split: { separator: '|', part: 2 } },
      ],
    };
    const text = 'Merkmal,Art,Werte\nFarbe,Liste,1.5|2.5\nPreis,Zahl,\nForm,Kreis,\n';
    const done = await shop.importFile('m.csv', text, { profile }, { type: 'ATTRIBUTE_IMPORT' });
    assert.deepEqual(places(done), [[4, 'Art', 'PROFILE_STEP_FAILED']], done.message);
    assert.equal(done.created, 2);
  });

  it('place categories, and bundle items', async () => {
    const profile = {
      fileType: 'CATEGORY_IMPORT',
      columns: [{ to: 'Category Path', from: 'Pfad', steps: [{ ...PATH, root: 'Shop' }] }],
    };
    await shop.category('Shop');
    const text = 'Pfad\nHüte\nHüte > Filz\nHüte >> Stroh\n';
    const done = await shop.importFile('k.tsv', text, { profile }, { type: 'CATEGORY_IMPORT' });
    assert.deepEqual(places(done), [[4, 'Pfad', 'PROFILE_STEP_FAILED']]);
    assert.deepEqual(await shop.outline(), [['PRIMARY', ['Shop', ['Hüte', ['Filz']]]]]);
    await shop.bulk('upsert', [{ sku: 'a', nodeName: 'Shop->Hüte->Filz' }]);
    const bundles = {
      fileType: 'BUNDLE_IMPORT',
      columns: [
        { to: 'SKU', from: 'Set' },
        { to: 'Category Node', constant: 'Shop->Hüte->Filz' },
        {
          to: 'Items',
          from: 'Teile',
          steps: [
            { step: 'list', separator: '+' },
            { step: 'suffix', text: ':2' },
          ],
        },
      ],
    };
    const set = await shop.importFile(
      'b.csv',
      'Set;Teile\ns;a\nt;a+zz\n',
      { profile: bundles },
      { type: 'BUNDLE_IMPORT' },
    );
    assert.deepEqual(places(set), [[3, 'Teile', 'BUNDLE_ITEM_NOT_FOUND']]);
    assert.deepEqual((await shop.item('s'))?.bundleItems, [{ sku: 'a', quantity: 2 }]);
  });

  it('read spreadsheets of OpenDocument, whose cells are numbers and dates already', async () => {
    const attributes = [
      { name: 'Weight', type: 'DECIMAL' },
      { name: 'Sold', type: 'DATETIME' },
      { name: 'Listed', type: 'BOOLEAN' },
    ];
    await shop.define({ attributes, categories: { Disk: ['Weight', 'Sold', 'Listed'] } });
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { headerRow: 3 },
      columns: [
        { to: 'SKU', from: 'sku' },
        { to: 'Category Node', from: 'Category Node' },
        { to: 'Weight', from: 'Weight', steps: [NUMBER] },
        { to: 'Sold', from: 'Sold', steps: [{ step: 'date', formats: ['dd.MM.yyyy'] }] },
        { to: 'Listed', from: 'Active', steps: [{ step: 'boolean', true: ['ja'], false: ['nein'] }] },
      ],
      unknownColumns: 'ignore',
    };
    const done = await shop.importFile('p.ods', readFileSync('test/fixtures/libreoffice-price-list.ods'), { profile });
    assert.deepEqual(places(done), [
      [5, 'SKU', 'SKU_DUPLICATE_IN_REQUEST'],
      [10, 'Weight', 'PROFILE_STEP_FAILED'],
      [10, 'Sold', 'PROFILE_STEP_FAILED'],
    ]);
    const item = await shop.item('007');
    assert.deepEqual(
      [String(item?.attributes.Weight), item?.attributes.Sold, item?.attributes.Listed],
      ['12', '2024-02-29', true],
    );
  });

  it('write nothing as a dry run, and nothing under abort when a row fails', async () => {
    await defined();
    const dry = await shop.importFile('x.csv', FILE, { profile: ITEMS, validateOnly: true });
    assert.deepEqual([dry.status, dry.created, dry.failed], ['COMPLETED', 1, 1]);
    assert.match(dry.errors[0]?.message ?? '', /"gratis"/);
    const abort = await shop.importFile('x.csv', FILE, { profile: ITEMS, onError: 'abort' });
    assert.deepEqual([abort.status, abort.reason], ['REJECTED', 'ROWS_FAILED']);
    assert.deepEqual(
      abort.errors.map(({ row, column }) => [row, column]),
      [[3, 'VK']],
    );
    assert.deepEqual(await shop.items(), []);
    const right = await shop.importFile('x.csv', FILE.replace('gratis', '2'), { profile: ITEMS, onError: 'abort' });
    assert.equal(right.created, 2);
    assert.deepEqual(Object.values(await shop.values('Price')).map(String), ['1000.5', '2']);
  });

  for (const onError of ['skip', 'abort']) {
    it(`create what is missing before their rows with onError ${onError}`, async () => {
      const file = await shop.hold(FILE.replace('gratis', '2'), { options: { delimiter: ',' } });
      const done = await shop.imported(file, {
        profile: ITEMS,
        createMissing: { attributes: true, categories: true, assignments: true },
        missing: {
          attributes: [{ name: 'Price', type: 'DECIMAL' }],
          categories: ['Hüte->Filz'],
          assignments: [{ category: 'Hüte->Filz', attributes: ['Price'] }],
        },
        options: { onError },
      });
      assert.deepEqual([done.status, done.created], ['COMPLETED', 2], JSON.stringify(done));
      const job = await shop.ask('GET', `/jobs/${file.jobId}`);
      assert.deepEqual(job.created, { attributes: 1, options: 0, categories: 2, assignments: 1 });
      assert.equal(job.options.delimiter, undefined, 'the profile says how the file is written');
    });
  }

  it('find rows with the same key, and report the later ones by their numbers in the file', async () => {
    await defined();
    const text = 'Nr;Gruppe;VK\na;Hüte > Filz;1\n\n"a";Hüte > Filz;2\nb;Hüte > Filz;3\n a ;Hüte > Filz;x\n';
    const done = await shop.importFile('x.csv', text, { profile: ITEMS });
    assert.deepEqual(
      done.errors.map(({ row, code }) => [row, code]),
      [
        [2, 'SKU_DUPLICATE_IN_REQUEST'],
        [6, 'PROFILE_STEP_FAILED'],
      ],
    );
    assert.equal(String((await shop.values('Price')).a), '2');
  });
});
