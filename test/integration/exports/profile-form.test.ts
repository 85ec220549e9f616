/** The form of a file that an export writes by a profile, byte for byte, and what it says of the rest. */
import assert from 'node:assert/strict';
import iconv from 'iconv-lite';
import { acceptExport, askForExport, exportFile } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ERP = {
  fileType: 'ITEM_IMPORT',
  format: { encoding: 'windows-1252', delimiter: ';', headerRow: 3, skipFirst: 1, skipLast: 1 },
  columns: [
    { to: 'SKU', from: 'Artikel', steps: [{ step: 'trim' }] },
    { to: 'Category Node', from: 'Warengruppe', steps: [{ step: 'path', separator: ' > ' }] },
    { to: 'Title', from: 'Bezeichnung' },
    { to: 'Preis', from: 'VK', steps: [{ step: 'number', decimal: ',', thousands: '.', currency: ['€'] }] },
    { to: 'Since', from: 'seit', steps: [{ step: 'date', formats: ['dd.MM.yyyy'] }] },
    { to: 'Active', from: 'aktiv', steps: [{ step: 'boolean', true: ['ja'], false: ['nein'] }] },
    { to: 'Colour', from: 'Farbe', steps: [{ step: 'replace', table: { rot: 'Red', blau: 'Blue' } }] },
    { to: null, from: 'Notiz' },
  ],
};

describe('the form of an export by a profile', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: [
        'Title',
        { name: 'Price', type: 'DECIMAL', locales: [{ locale: 'de-DE', name: 'Preis' }] },
        { name: 'Since', type: 'DATETIME', format: 'yyyy-dd-MM' },
        { name: 'Active', type: 'BOOLEAN' },
        { name: 'Colour', type: 'OPTIONS', options: ['Red', 'Blue', 'Green'] },
      ],
      categories: { 'Fahrräder->E-Bikes': ['Title', 'Price', 'Since', 'Active', 'Colour'] },
    });
    const nodeName = 'Fahrräder->E-Bikes';
    const values = { Price: '1950.27', Since: '2026-12-03', Active: true, Colour: 'Red' };
    const { body } = await shop.bulk('insert', [
      { sku: 'a', nodeName, attributes: { ...values, Title: 'Größe "M"; für alle' } },
      { sku: 'b', nodeName, attributes: { Title: 'Łódź', Price: '5', Active: false, Colour: 'Green' } },
      { sku: 'c', nodeName, attributes: { Title: 'NULL', Since: '2026-12-03T09:30:00.000Z' } },
    ]);
    assert.deepEqual(body.failed, []);
  });

  const warned = (job: { warnings: readonly Record<string, unknown>[] }) =>
    job.warnings.map(({ code, path, count, rows }) => [code, path, count, rows]);

  it('has the encoding, titles, delimiter, numbers, days and words of the profile, and names what it cannot write', async () => {
    const { bytes, job } = await exportFile(shop, { body: { profile: ERP } });
    assert.equal(
      iconv.decode(bytes, 'windows-1252'),
      [
        '',
        '',
        'Artikel;Warengruppe;Bezeichnung;VK;seit;aktiv;Farbe;Notiz',
        'Artikel;Warengruppe;Bezeichnung;VK;seit;aktiv;Farbe;Notiz',
        'a;Fahrräder > E-Bikes;"Größe ""M""; für alle";1.950,27 €;03.12.2026;ja;rot;',
        'b;Fahrräder > E-Bikes;;5 €;;nein;;',
        'c;Fahrräder > E-Bikes;\\NULL;;;;;',
        '-;;;;;;;',
        '',
      ].join('\n'),
    );
    assert.deepEqual(warned(job).sort(), [
      ['CELL_NOT_WRITTEN', 'Colour', 1, '6'],
      ['CELL_NOT_WRITTEN', 'Since', 1, '7'],
      ['CELL_NOT_WRITTEN', 'Title', 1, '6'],
    ]);
    assert.match(
      JSON.stringify(job.warnings),
      /the steps \(replace\) of \\"Colour\\" cannot make \\"Green\\" of any cell/,
    );
    const again = await shop.importFile('erp.csv', bytes, { profile: ERP });
    assert.deepEqual([again.unchanged, again.failed, again.total], [3, 0, 3], JSON.stringify(again));
  });

  it('is the same in a workbook, on the sheet of the profile', async () => {
    const profile = { ...ERP, format: { ...ERP.format, sheet: 'Artikel' } };
    const { bytes, name, job } = await exportFile(shop, { body: { profile, format: 'XLSX' } });
    assert.equal(warned(job).length, 2, 'a workbook has every character');
    const again = await shop.importFile(name, bytes, { profile });
    assert.deepEqual([again.unchanged, again.failed, again.total], [3, 0, 3], JSON.stringify(again));
  });

  it('keeps to the filter, and names the profile and the items that it leaves out', async () => {
    await shop.ask('POST', '/import-profiles', {
      body: { name: 'Ours', profile: { ...ERP, columns: [...ERP.columns, { to: 'Brand', constant: 'Acme' }] } },
    });
    await shop.define({ attributes: ['Brand'] });
    const match = { properties: [{ name: 'Price', op: 'GTE', value: 5 }] };
    const { job, bytes } = await exportFile(shop, { body: { profile: 'ours', match } });
    assert.deepEqual(job.profile, { name: 'Ours', version: 1 });
    assert.deepEqual(warned(job), [['ITEM_LEFT_OUT', 'Brand', 2, '']]);
    assert.match(
      job.warnings[0].example,
      /the item "a" has no value in "Brand", and the profile would give it another one/,
    );
    assert.equal(job.progressTracker.totalCount, 0);
    assert.equal(bytes.toString('latin1').split('\n').length, 6, 'header, and rows that the profile skips');
  });

  it('leaves a column empty whose attribute the site does not have, and says so', async () => {
    const columns = [...ERP.columns, { to: 'Season', from: 'Saison', steps: [{ step: 'default', value: 'all' }] }];
    const { job, text } = await exportFile(shop, { body: { profile: { ...ERP, columns, format: {} } } });
    assert.deepEqual(
      warned(job).find(([code]) => code === 'COLUMN_NOT_WRITTEN'),
      ['COLUMN_NOT_WRITTEN', 'Season', 1, ''],
    );
    assert.match(text, /^Artikel,Warengruppe,Bezeichnung,VK,seit,aktiv,Farbe,Notiz,Saison\na,.*,\n/);
  });

  it('is that of bundles, too', async () => {
    const { body } = await shop.bulk('insert', [
      {
        sku: 'set',
        type: 'BUNDLE',
        nodeName: 'Fahrräder->E-Bikes',
        bundleItems: [
          { sku: 'a', quantity: 2 },
          { sku: 'b', quantity: 1 },
        ],
      },
    ]);
    assert.deepEqual(body.failed, []);
    const columns = [
      { to: 'SKU', from: 'Set' },
      { to: 'Items', from: 'Teile', steps: [{ step: 'list', separator: ' + ' }] },
    ];
    const profile = { fileType: 'BUNDLE_IMPORT', columns };
    const { text, name } = await exportFile(shop, { entity: 'bundle', body: { profile } });
    assert.equal(text, 'Set,Teile\nset,a:2 + b:1\n');
    const again = await shop.importFile(name, text, { profile }, { type: 'BUNDLE_IMPORT' });
    assert.deepEqual([again.unchanged, again.failed], [1, 0], JSON.stringify(again));
  });

  it('cannot be that of a profile which is not there or cannot be written, and no field may contradict it', async () => {
    const [sku] = ERP.columns;
    for (const [body, status, pattern] of [
      [{ profile: 'Nobody' }, 404, /there is no import profile/],
      [{ profile: ERP, format: 'JSONL' }, 400, /choose CSV or XLSX/],
      [{ profile: ERP, delimiter: ',' }, 400, /delimiter: is said by the profile/],
      [{ profile: ERP, columns: ['SKU'] }, 400, /columns: is said by the profile/],
      [{ profile: ERP, bom: true }, 400, /has no byte order mark/],
      [{ profile: { ...ERP, fileType: 'BUNDLE_IMPORT' } }, 400, /reads files of the type BUNDLE_IMPORT/],
      [{ profile: { ...ERP, format: { rowPath: 'a/b' } } }, 400, /nested files/],
      [{ profile: { ...ERP, columns: [{ to: 'Title', from: 'x' }] } }, 400, /no rule of the profile fills the SKU/],
      [{ profile: { ...ERP, columns: [sku, { to: 'Title', from: 'Ł' }] } }, 400, /cannot be written in windows-1252/],
      [
        { profile: { ...ERP, format: { quote: '' }, columns: [{ ...sku, from: 'a,b' }] } },
        400,
        /has the delimiter in its name/,
      ],
    ] as const) {
      const answer = await askForExport(shop, { body: { match: {}, ...body } });
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.match(answer.body.message, pattern);
    }
  });

  it('stays that of the profile that was accepted, whatever becomes of it', async () => {
    await shop.ask('POST', '/import-profiles', { body: { name: 'Soon gone', profile: { ...ERP, format: {} } } });
    const jobId = await acceptExport(shop, { body: { profile: 'Soon gone' } });
    await shop.ask('DELETE', '/import-profiles/Soon%20gone');
    const job = await shop.ask('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=25' } });
    assert.deepEqual([job.status, job.profile], ['COMPLETED', { name: 'Soon gone', version: 1 }]);
  });
});

describe('a column that a profile can do without', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
  });
  after(() => world.stop());

  it('may be missing in the file, and another one may not', async () => {
    const shop = await (await world.newShop()).define({
      attributes: ['Title', 'Code'],
      categories: { Hats: ['Title', 'Code'] },
    });
    const optional = { optional: true };
    const columns = [
      { to: 'SKU', from: 'id' },
      { to: 'Category Node', from: 'group' },
      { to: 'Title', from: ['title', 'name'], ...optional },
      { to: 'Code', from: 'code', split: { separator: '-', part: 1 }, ...optional },
    ];
    const profile = { fileType: 'ITEM_IMPORT', columns };
    const outcome = await shop.importFile('x.csv', 'id,group,name\na,Hats,Cap\n', { profile });
    assert.deepEqual([outcome.created, outcome.failed], [1, 0], JSON.stringify(outcome));
    assert.deepEqual(await shop.values('Title'), { a: 'Cap' });
    assert.deepEqual(await shop.values('Code'), { a: undefined });
    const strict = { ...profile, columns: columns.map(({ to, from }) => ({ to, from })) };
    const refused = await shop.importFile('x.csv', 'id,group,name\na,Hats,Cap\n', { profile: strict });
    assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'MISSING_COLUMN']);
  });
});
