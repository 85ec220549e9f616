/** JSON and XML files that are imported by a profile: feeds and exchange formats, whose rows are at a path. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { accepted, decide, openQuestions } from '@longshore/client';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const fixture = (name: string) => readFile(new URL(`../../../../test/fixtures/nested/${name}`, import.meta.url));

const CATEGORY = { to: 'Category Node', constant: 'Parts' };
const number = (decimal: string) => ({ step: 'number', decimal });
const lines = { step: 'list', separator: '\n' };

const BMECAT = {
  fileType: 'ITEM_IMPORT',
  format: { rowPath: 'BMECAT/T_NEW_CATALOG/PRODUCT' },
  unknownColumns: 'ignore',
  columns: [
    { to: 'SKU', from: 'SUPPLIER_PID' },
    CATEGORY,
    { to: 'Title', from: 'PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=ger]' },
    { to: 'Colour', from: 'PRODUCT_FEATURES/FEATURE[FNAME=Farbe]/FVALUE', steps: [lines] },
    { to: 'Length', from: 'PRODUCT_FEATURES/FEATURE[FNAME=Länge\\/Breite]/FVALUE', steps: [number(',')] },
    { to: 'Price', from: 'PRODUCT_PRICE_DETAILS/PRODUCT_PRICE/PRICE_AMOUNT', steps: [number('.')] },
    { to: 'Image', from: 'MIME_INFO/MIME/0/MIME_SOURCE' },
  ],
};
const GOOGLE = {
  fileType: 'ITEM_IMPORT',
  format: { rowPath: 'rss/channel/item' },
  columns: [
    { to: 'SKU', from: 'g:id' },
    CATEGORY,
    { to: 'Title', from: 'title' },
    { to: 'Image', from: ['g:image_link', 'g:additional_image_link'], combine: 'join', joinWith: '\n', steps: [lines] },
    { to: 'Price', from: 'g:price', steps: [{ step: 'number', decimal: '.', currency: ['EUR'] }] },
    { to: 'Length', from: 'g:product_detail[g:attribute_name=Gears]/g:attribute_value' },
  ],
};
const ETIM = {
  fileType: 'ITEM_IMPORT',
  format: { rowPath: 'Supplier/Product' },
  unknownColumns: 'ignore',
  columns: [
    { to: 'SKU', from: 'ProductIdentification/ManufacturerProductNumber' },
    CATEGORY,
    {
      to: 'Title',
      from: 'ProductDetails/ProductDescriptions[DescriptionLanguage=de-DE]/MinimalProductDescription',
    },
    { to: 'Length', from: 'EtimClassification/EtimFeatures[EtimFeatureCode=EF000008]/NumericValue' },
  ],
};
const JSON_LD = {
  fileType: 'ITEM_IMPORT',
  format: { rowPath: '@graph' },
  columns: [
    { to: 'SKU', from: 'sku' },
    CATEGORY,
    { to: 'Title', from: 'name' },
    { to: 'Image', from: 'image', steps: [lines] },
    { to: 'Price', from: 'offers/price' },
    { to: 'Colour', from: 'additionalProperty[name=Color]/value' },
  ],
};

describe('a JSON or XML file that is imported by a profile', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ chunkRows: 3 });
    await world.startWorkers({}, ['bulk', 'export']);
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({
      attributes: ['Title', 'Colour', 'Image', { name: 'Length', type: 'DECIMAL' }, { name: 'Price', type: 'DECIMAL' }],
      categories: { Parts: ['Title', 'Colour', 'Image', 'Length', 'Price'] },
    });
  });
  after(() => world.stop());

  const valuesOf = async (sku: string) => (await shop.item(sku))?.attributes ?? {};

  it('can be BMEcat: its features, its languages, its prices, in its encoding', async () => {
    const done = await shop.importFile('katalog.xml', await fixture('bmecat-2005.xml'), { profile: BMECAT });
    assert.deepEqual(places(done), [], JSON.stringify(done));
    assert.deepEqual([done.status, done.created], ['COMPLETED', 2]);
    const { Title, Colour, Length, Price, Image } = await valuesOf('A-100');
    assert.deepEqual([Title, Colour, Image], ['Schraube, größer', 'rot;blau', 'a1.jpg']);
    assert.deepEqual([String(Length), String(Price)], ['12.5', '1.25']);
    assert.equal((await valuesOf('A-200')).Colour, 'grau');
    assert.deepEqual(done.warnings, []);
  });

  it('can be a feed of Google, and the same feed again changes nothing', async () => {
    const feed = await fixture('google-feed.xml');
    const done = await shop.importFile('feed.xml', feed, { profile: GOOGLE });
    assert.deepEqual([places(done), done.created], [[], 2]);
    const { Title, Image, Price, Length } = await valuesOf('SKU-1');
    assert.equal(Title, 'City bike "Nora"');
    assert.equal(Image, [1, '1-2', '1-3'].map((name) => `https://shop.example/i/${name}.jpg`).join(';'));
    assert.deepEqual([String(Price), String(Length)], ['799', '7']);
    const paths = done.warnings.map(({ path }) => path);
    assert.ok(paths.includes('g:brand'), String(paths));
    assert.ok(!paths.includes('g:additional_image_link'), String(paths));
    const again = await shop.importFile('feed.xml.gz', gzipSync(feed), { profile: GOOGLE });
    assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 2]);
  });

  it('can be ETIM xChange and JSON-LD', async () => {
    const etim = await shop.importFile('etim.json', await fixture('etim-xchange.json'), { profile: ETIM });
    assert.deepEqual([places(etim), etim.created], [[], 2]);
    const { Title, Length } = await valuesOf('M-1');
    assert.deepEqual([Title, String(Length)], ['Schalter', '12.5']);
    const linked = await shop.importFile('products.json', await fixture('json-ld.json'), { profile: JSON_LD });
    assert.deepEqual([places(linked), linked.created], [[], 2]);
    const { Colour, Price, Image } = await valuesOf('SKU-1');
    assert.deepEqual([Colour, String(Price)], ['red', '799.9']);
    assert.equal(Image, 'https://shop.example/i/1.jpg;https://shop.example/i/2.jpg');
  });

  it('reports mistakes by the row of the document and its path, and its error file goes in again: JSON', async () => {
    const product = (sku: string, price: string, title = '') =>
      `{ "ids": { "sku": "${sku}" },\n  "name": "T${title}", "price": ${price}, "more": [1.50] }`;
    const text = `{ "shop": "x", "data": [ { "products": [
      ${product('a', '1.5')}, { }, ${product('b', '"gratis"', 'ä')}, ${product('', '2')} ] },
      { "products": [ 5, ${product('c', '7')}, ${product('d', '"frei"')} ] } ] }`;
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { rowPath: 'data/products' },
      columns: [
        { to: 'SKU', from: 'ids/sku' },
        CATEGORY,
        { to: 'Title', from: 'name' },
        { to: 'Price', from: 'price', steps: [number('.')] },
      ],
    };
    await shop.ask('POST', '/import-profiles', { body: { name: 'Feed', profile } });
    const done = await shop.importFile('feed.json.gz', gzipSync(text), { profile: 'Feed', mode: 'insert' });
    assert.deepEqual(places(done), [
      [3, 'price', 'PROFILE_STEP_FAILED'],
      [4, 'ids/sku', 'SKU_REQUIRED'],
      [5, null, 'ROW_NOT_OBJECT'],
      [7, 'price', 'PROFILE_STEP_FAILED'],
    ]);
    assert.equal(done.errors[0]?.value, 'gratis');
    const { name, bytes } = await shop.download(done.errorFile ?? '');
    assert.equal(name, 'errors-feed.json.gz');
    const written = gunzipSync(bytes).toString();
    const { data } = JSON.parse(written);
    assert.deepEqual(Object.keys(data.products[0]), [
      ...['ids', 'name', 'price', 'more'],
      ...['_row', '_column', '_code', '_message', '_job'],
    ]);
    assert.equal(data.products[2]._raw, '5');
    assert.match(written, /1\.50/);
    const corrected = written.replace('"gratis"', '3').replace('"sku": ""', '"sku": "e"').replace('"frei"', '4');
    const jobId = await shop.upload('errors-feed.json', corrected);
    const again = await shop.outcome(jobId);
    assert.deepEqual(places(again), [[3, 'ids/sku', 'SKU_REQUIRED']], JSON.stringify(again));
    assert.equal(again.created, 3);
    const { profile: used, options } = await shop.ask('GET', `/jobs/${jobId}`);
    assert.deepEqual([used, options.retryOf, options.mode], [{ name: 'Feed', version: 1 }, done.id, 'insert']);
    assert.equal((await valuesOf('b')).Title, 'Tä');
  });

  it('has an error file of lines where it is JSON Lines, whose rows may be within the lines', async () => {
    const flat = '{"id":"a","p":1}\n\n{"id":"b","p":"x"}\n{"id":"c",\n{"id":"d","p":2.50}\n';
    const columns = [{ to: 'SKU', from: 'id' }, CATEGORY, { to: 'Price', from: 'p', steps: [number('.')] }];
    const profile = { fileType: 'ITEM_IMPORT', format: { rowPath: '.' }, columns };
    const done = await shop.importFile('list.jsonl', flat, { profile });
    assert.deepEqual(places(done), [
      [3, 'p', 'PROFILE_STEP_FAILED'],
      [4, null, 'ROW_NOT_OBJECT'],
    ]);
    const written = (await shop.download(done.errorFile ?? '')).bytes.toString();
    assert.equal(written.trimEnd().split('\n').length, 2);
    const again = await shop.importFile('e.jsonl', written.replace('"x"', '3'));
    assert.deepEqual([again.created, places(again)], [1, [[2, 'id', 'SKU_REQUIRED']]]);

    const within = { ...profile, format: { rowPath: 'body/items' }, unknownColumns: 'ignore' };
    const nested =
      '{"body":{"items":[{"id":"k","p":1},{"id":"l","p":"y","n":1.20}]}}\n{"body":{"items":{"id":"m","p":"z"}}}\n';
    const first = await shop.importFile('deep.jsonl', nested, { profile: within });
    assert.deepEqual(
      places(first).map(([row, column]) => [row, column]),
      [
        [2, 'p'],
        [3, 'p'],
      ],
    );
    const lines = (await shop.download(first.errorFile ?? '')).bytes.toString();
    assert.match(
      lines,
      /^\{"_job":"[0-9a-f]{24}","body":\{"items":\[\{"id":"l","p":"y","n":1\.20,"_row":2,.*\}\]\}\}\n/,
    );
    const second = await shop.importFile('deep.jsonl', lines.replace('"y"', '1').replace('"z"', '2'));
    assert.deepEqual([second.created, places(second)], [2, []]);
  });

  it('has a table as its error file where it is XML, which goes in again under the same profile', async () => {
    const product = (sku: string, price: string) =>
      `<p id="${sku}"><t>Öl; "fein"</t><c>rot</c><c>blau</c><price>${price}</price><x>&#x20AC; y</x></p>`;
    const products = [product('a', '1,5'), product('b', 'gratis'), product('', '2'), product('d', '4')].join('\n');
    const text = `<?xml version="1.0" encoding="ISO-8859-1"?>\n<shop>${product('no', 'x')}${products}${product('end', 'y')}</shop>`;
    const profile = {
      fileType: 'ITEM_IMPORT',
      format: { rowPath: 'shop/p', encoding: 'windows-1252', skipFirst: 1, skipLast: 1 },
      unknownColumns: 'fail',
      columns: [
        { to: 'SKU', from: '@id' },
        CATEGORY,
        { to: 'Title', from: 't' },
        { to: 'Colour', from: 'c', steps: [lines] },
        { to: 'Price', from: 'price', steps: [number(',')] },
        { to: 'Length', from: 'size/0' },
        { to: null, from: 'x' },
      ],
      skipRowsWhen: [{ column: 'deleted', is: { equals: ['1'] } }],
    };
    const done = await shop.importFile('feed.xml', Buffer.from(text, 'latin1'), { profile });
    assert.deepEqual(places(done), [
      [3, 'price', 'PROFILE_STEP_FAILED'],
      [4, '@id', 'SKU_REQUIRED'],
    ]);
    const { name, bytes } = await shop.download(done.errorFile ?? '');
    assert.equal(name, 'errors-feed.csv');
    const table = bytes.toString();
    assert.match(table, /^\uFEFF@id,t,c,price,x,size\/0,deleted,_row,_column,_code,_message,_job\r\n/);
    assert.match(table, /,€ y,/);
    const again = await shop.importFile(
      'errors-feed.csv',
      table.replace('gratis', '"2,5"').replace('\r\n,"Öl', '\r\ne,"Öl'),
    );
    assert.deepEqual([again.created, places(again)], [2, []], JSON.stringify(again));
    const { Title, Colour, Price } = await valuesOf('b');
    assert.deepEqual([Title, Colour, String(Price)], ['Öl; "fein"', 'rot;blau', '2.5']);
  });

  it('is rejected as a whole where the profile or the file is another one, and the message says what to do', async () => {
    const feed = await fixture('google-feed.xml');
    const rejected = async (name: string, content: string | Buffer, profile?: object) => {
      const { status, message, reason } = await shop.importFile(
        name,
        content,
        profile === undefined ? {} : { profile },
      );
      assert.equal(status, 'REJECTED', message);
      return `${reason}: ${message}`;
    };
    assert.match(await rejected('feed.xml', feed), /^PROFILE_REQUIRED: .*options\.profile.*"hold": true/);
    const elsewhere = { ...GOOGLE, format: { rowPath: 'rss/channel/items' } };
    assert.match(await rejected('feed.xml', feed, elsewhere), /^ROW_PATH_NOT_FOUND: .*"rss\/channel\/item"/);
    const columns = [{ to: 'SKU', from: 'Artikelnummer' }, CATEGORY, { to: 'Title', from: 'Bezeichnung' }];
    const table = { fileType: 'ITEM_IMPORT', format: { headerRow: 3, delimiter: ';' }, columns };
    const wrong = /^MISSING_COLUMN: No row at "rss\/channel\/item" has a value at "Artikelnummer".* "g:id"/;
    assert.match(await rejected('feed.xml', feed, table), wrong);
    assert.match(await rejected('feed.xml', feed, { ...table, unknownColumns: 'ignore' }), wrong);
    const misspelt = { ...GOOGLE, columns: [{ to: 'SKU', from: 'gid' }, ...GOOGLE.columns.slice(1)] };
    assert.match(
      await rejected('feed.xml', feed, misspelt),
      /"gid", which the profile reads as "SKU": did you mean "g:id"\?/,
    );
    assert.match(await rejected('feed.csv', 'Artikelnummer;x\n1;2\n', GOOGLE), /^MISSING_COLUMN/);
    assert.match(await rejected('cut.xml', feed.subarray(0, 900), GOOGLE), /^NOT_XML/);
    assert.match(await rejected('list.json', '{"shop":[]}'), /^NOT_AN_ARRAY/);
  });

  it('leaves JSON of our own form without a profile as it is', async () => {
    const own = JSON.stringify([{ sku: 'own', nodeName: 'Parts', attributes: { Title: 'x', Price: 1.5 } }]);
    const done = await shop.importFile('own.json', own);
    assert.deepEqual([done.created, places(done)], [1, []]);
    const { profile, plan } = await shop.ask('GET', `/jobs/${done.id}`);
    assert.deepEqual([profile, plan], [null, undefined]);
  });

  it('comes in as it is proposed: held, inspected, decided, imported, with all that an empty catalog lacks', async () => {
    const asked = {
      'bmecat-2005.xml': ['category'],
      'etim-xchange.json': ['category'],
      'json-ld.json': ['category'],
      'google-feed.xml': ['kind', 'category'],
    };
    for (const [fileName, subjects] of Object.entries(asked)) {
      const empty = await world.newShop();
      const file = await empty.hold(await fixture(fileName), { fileName });
      const answer = await empty.call('GET', `/files/product/${file.id}/proposal`, { headers: { prefer: 'wait=25' } });
      assert.equal(answer.status, 200, answer.text);
      const { proposal } = answer.body;
      const questions = openQuestions(proposal);
      assert.deepEqual(
        questions.map(({ column }) => column),
        subjects,
        fileName,
      );
      const first = Object.fromEntries(questions.map(({ column, readings }) => [column, readings[0]?.value ?? '']));
      const createMissing = { attributes: true, options: true, categories: true, assignments: true };
      const body = { ...accepted(decide(proposal, first)), createMissing };
      const done = await empty.imported(file, body);
      assert.deepEqual([fileName, done.status, places(done)], [fileName, 'COMPLETED', []]);
      assert.deepEqual([done.created, done.warnings], [2, []]);
      if (fileName !== 'bmecat-2005.xml') continue;
      const attributes = (await empty.item('A-100'))?.attributes ?? {};
      assert.equal(attributes.Farbe, 'rot;blau');
      assert.equal(attributes['DESCRIPTION_SHORT (de)'], 'Schraube, größer');
    }
  });
});
