/** JSON, JSON Lines and XML as tables. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { SourceFormat } from '../../../../../src/domain/formats/model/source-format.js';
import { type ReadTable, readTable, shownRows } from './table-fixture.js';

const FIXTURES = new URL('../../../../../../test/fixtures/nested/', import.meta.url);

/** The rows as objects without their empty cells. */
function objects({ header, rows }: ReadTable): Record<string, string>[] {
  return rows.map(({ cells }) =>
    Object.fromEntries(header.flatMap((name, index) => (cells[index] === '' ? [] : [[name, cells[index] as string]]))),
  );
}

const of = (format: SourceFormat) => (text: string | Buffer, rowPath?: string) =>
  readTable(text, { rowPath }, { format });
const json = of('JSON');
const jsonl = of('JSONL');
const xml = of('XML');

describe('a JSON file as a table', () => {
  it('has the elements of its array as rows, and the paths of their values as columns', async () => {
    const table = await json(
      '[{"sku":"A","dimensions":{"width":12.50,"unit":"cm"}},{"sku":"B","new":true,"old":null}]',
    );
    assert.deepEqual(table.header, ['sku', 'dimensions/width', 'dimensions/unit', 'new', 'old']);
    assert.deepEqual(table.format, {
      ...{ encoding: 'utf-8', delimiter: null, headerRow: 0, sheet: null, rowPath: '.' },
    });
    assert.deepEqual(table.rows, [
      { row: 1, cells: ['A', '12.50', 'cm', '', ''], types: 'tnttt', problem: null },
      { row: 2, cells: ['B', '', '', 'TRUE', ''], types: 'tttbt', problem: null },
    ]);
  });

  it('keeps the digits of numbers, which have no exponent', async () => {
    const table = await json('[{"a":19.999999999999999999,"b":1.0,"c":1e3,"d":-0.5e-2,"e":12345678901234567890}]');
    assert.deepEqual(table.rows[0]?.cells, ['19.999999999999999999', '1.0', '1000', '-0.005', '12345678901234567890']);
    assert.equal(table.rows[0]?.types, 'nnnnn');
  });

  it('has rows at a path, through arrays on the way to them', async () => {
    const text = '{"shops":[{"items":[{"a":1}]},{"other":[{"b":1}],"items":[{"a":2},{"a":3}]},{"items":{"a":4}}]}';
    const table = await json(text, 'shops/items');
    assert.deepEqual(
      shownRows(table),
      [1, 2, 3, 4].map((value) => [value, String(value)]),
    );
  });

  it('has one row, if the document is an object and its path is a point', async () => {
    assert.deepEqual(objects(await json('{"a":{"b":[1,2]},"c":"x"}', '.')), [{ 'a/b': '1\n2', c: 'x' }]);
  });

  it('has one column for a list of values, and numbered ones for a list of objects', async () => {
    const table = await json(
      '[{"tags":["a","b"],"images":[{"url":"u"},{"url":"v","alt":"x"}]},{"images":{"url":"w"}}]',
    );
    assert.deepEqual(objects(table), [
      { tags: 'a\nb', 'images/0/url': 'u', 'images/1/url': 'v', 'images/1/alt': 'x' },
      { 'images/0/url': 'w' },
    ]);
  });

  it('names columns of any path: a value of a list, all values of objects, and those that a value selects', async () => {
    const text = '[{"tags":["a","b"],"images":[{"url":"u"},{"url":"v"}],"p":[{"k":"x","v":1},{"k":"y/z]","v":2}]}]';
    const paths = ['tags/1', 'images/url', 'images/1', 'p[k=x]/v', 'p[k=y/z\\]]/v', 'missing/path'];
    const table = await readTable(text, { rowPath: '.', columns: { paths, others: false } }, { format: 'JSON' });
    assert.deepEqual(table.header, paths);
    assert.deepEqual(table.rows[0]?.cells, ['b', 'u\nv', '', '1', '2', '']);
    const beside = await readTable(text, { rowPath: '.', columns: { paths } }, { format: 'JSON' });
    assert.equal(beside.header.length, 7 + paths.length);
  });

  it('has columns by the names of properties, and by languages', async () => {
    const text = `[{"sku":"A","attributes":[{"code":"color","value":"red"},{"code":"size","value":5}],
      "texts":[{"lang":"de","title":"Rad"},{"lang":"en","title":"Bike"}]},{"sku":"B","attributes":[{"code":"size","value":6}]}]`;
    assert.deepEqual(objects(await json(text)), [
      {
        sku: 'A',
        'attributes[code=color]/value': 'red',
        'attributes[code=size]/value': '5',
        'texts[lang=de]/title': 'Rad',
        'texts[lang=en]/title': 'Bike',
      },
      { sku: 'B', 'attributes[code=size]/value': '6' },
    ]);
  });

  it('numbers objects whose names do not tell them apart', async () => {
    const text = '[{"sku":"A","texts":[{"lang":"de","title":"Rad"},{"lang":"de","title":"Fahrrad"}]}]';
    assert.deepEqual((await json(text)).header, [
      'sku',
      'texts/0/lang',
      'texts/0/title',
      'texts/1/lang',
      'texts/1/title',
    ]);
  });

  it('writes a backslash before signs of paths in names', async () => {
    const text = '[{"a/b":1,"c[d]":{"e=f":2},"g\\\\h":3,".":4,"__proto__":5,"":6}]';
    const table = await json(text);
    assert.deepEqual(table.header, ['a\\/b', 'c\\[d\\]/e\\=f', 'g\\\\h', '\\.', '__proto__', '']);
    const again = await readTable(text, { columns: { paths: table.header, others: false } }, { format: 'JSON' });
    assert.deepEqual(again.rows[0]?.cells, ['1', '2', '3', '4', '5', '6']);
  });

  it('leaves out rows without values, which have numbers, and as many as a profile skips', async () => {
    const text = '[{"a":1},{"a":""},{"a":2},{"a":3},{"a":4}]';
    const table = await readTable(text, { skipFirst: 1, skipLast: 1 }, { format: 'JSON' });
    assert.deepEqual(shownRows(table), [
      [3, '2'],
      [4, '3'],
    ]);
  });

  it('is read in any encoding and compressed, whatever its blocks', async () => {
    const text = '[{"name":"größer \\u20ac"},{"name":"中"}]';
    for (const blockBytes of [1, 3, 1000]) {
      const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
      const read = await readTable(gzipSync(utf16), {}, { format: 'JSON', gzip: true, blockBytes });
      assert.deepEqual(shownRows(read), [
        [1, 'größer €'],
        [2, '中'],
      ]);
    }
  });
});

describe('a JSON Lines file as a table', () => {
  it('has its lines as rows, by their numbers', async () => {
    const table = await jsonl('{"a":1}\n\n{"b":{"c":2}}\r\n');
    assert.equal(table.format.rowPath, '.');
    assert.deepEqual(shownRows(table), [
      [1, '1', ''],
      [3, '', '2'],
    ]);
  });

  it('has rows within its lines at a path', async () => {
    const table = await jsonl('{"items":[{"a":1},{"a":2}]}\n{"items":[]}\n{"items":[{"a":3}]}', 'items');
    assert.deepEqual(
      shownRows(table),
      [1, 2, 3].map((value) => [value, String(value)]),
    );
  });
});

describe('an XML file as a table', () => {
  it('has elements as rows, and the paths of texts and attributes as columns', async () => {
    const table = await xml(
      `<?xml version="1.0"?>\n<catalog xmlns:g="u" v="1"><product id="1" xmlns:x="y"><title>\n  Foo &amp; &#66;ar </title>
      <g:price currency='EUR'>1.50</g:price></product><product id="2"><title><![CDATA[<b>x</b> & ]]>y</title><none/></product></catalog>`,
    );
    assert.equal(table.format.rowPath, 'catalog/product');
    assert.deepEqual(table.header, ['@id', 'title', 'g:price', 'g:price/@currency', 'none']);
    assert.deepEqual(shownRows(table), [
      [1, '1', 'Foo & Bar', '1.50', 'EUR', ''],
      [2, '2', '<b>x</b> & y', '', '', ''],
    ]);
  });

  it('numbers an element that is repeated in any row, and joins texts', async () => {
    const table = await xml(
      '<c><p><img><u>a</u></img><tag>x</tag></p><p><img><u>b</u></img><img><u>c</u></img><tag>y</tag><tag>z</tag></p></c>',
      'c/p',
    );
    assert.deepEqual(objects(table), [
      { 'img/0/u': 'a', tag: 'x' },
      { 'img/0/u': 'b', 'img/1/u': 'c', tag: 'y\nz' },
    ]);
  });

  it('takes a text with elements in it as one value', async () => {
    const table = await xml(
      '<c><p><d x="1">A <b>bold <i>word</i></b>, <b>again</b>.</d></p><p>own<d>x</d></p></c>',
      'c/p',
    );
    assert.deepEqual(objects(table), [
      { d: 'A bold word, again.', 'd/@x': '1' },
      { '.': 'own', d: 'x' },
    ]);
  });

  it('selects elements by an attribute', async () => {
    const table = await xml(
      '<c><p><n lang="de">Rad</n><n lang="en">Bike</n><f name="Color">red</f><f name="Color">blue</f></p><p><n lang="de">Hut</n></p></c>',
      'c/p',
    );
    assert.deepEqual(objects(table), [
      { 'n[@lang=de]': 'Rad', 'n[@lang=en]': 'Bike', 'f[@name=Color]': 'red\nblue' },
      { 'n[@lang=de]': 'Hut' },
    ]);
  });

  it('has rows within rows as parts of them, and rows of several parents', async () => {
    const text = '<c><g><p><a>1</a><p><a>2</a></p></p></g><g><p><a>3</a></p><x/></g></c>';
    assert.deepEqual(objects(await xml(text, 'c/g/p')), [{ a: '1', 'p/a': '2' }, { a: '3' }]);
    assert.deepEqual(objects(await xml(text, 'c')).length, 1);
  });

  it('is read in the encoding that it declares, unless the job or a byte order mark says otherwise', async () => {
    const declared = '<?xml version="1.0" encoding="windows-1250"?><c><p><a>Łódź</a></p><p><a>x</a></p></c>';
    const bytes = Buffer.from(declared.replace('Łódź', '\xa3\xf3d\x9f'), 'latin1');
    const read = await readTable(bytes, {}, { format: 'XML' });
    assert.deepEqual([read.rows[0]?.cells, read.format.encoding], [['Łódź'], 'windows-1250']);
    assert.deepEqual((await readTable(`\ufeff${declared}`, {}, { format: 'XML' })).rows[0]?.cells, ['Łódź']);
    assert.deepEqual((await readTable(declared, { encoding: 'utf-8' }, { format: 'XML' })).rows[0]?.cells, ['Łódź']);
    const wide = Buffer.from(declared.replace('windows-1250', 'UTF-16'), 'utf16le');
    assert.deepEqual((await readTable(wide, {}, { format: 'XML' })).rows[0]?.cells, ['Łódź']);
    assert.deepEqual((await readTable(wide.swap16(), {}, { format: 'XML' })).rows[0]?.cells, ['Łódź']);
    const wrong = declared.replace('windows-1250', 'utf-16');
    assert.deepEqual((await readTable(wrong, {}, { format: 'XML' })).rows[0]?.cells, ['Łódź']);
  });

  it('accepts a document type that defines nothing of its own', async () => {
    assert.deepEqual(objects(await xml('<!DOCTYPE c SYSTEM "c.dtd"><c><p><a>1</a></p></c>', 'c/p')), [{ a: '1' }]);
  });

  it('accepts a document type that says which elements a user has added, as files of BMEcat do', async () => {
    const type =
      '<!DOCTYPE c SYSTEM "c.dtd" [<!-- <!ENTITY a "b"> -->\n<!ENTITY\n  % OWN "(UDX.NR?)">\n<!ELEMENT UDX.NR (#PCDATA)>]>';
    assert.deepEqual(objects(await xml(`${type}<c><p><UDX.NR>1</UDX.NR></p></c>`, 'c/p')), [{ 'UDX.NR': '1' }]);
  });

  it('is read once, if its columns are given', async () => {
    let opened = 0;
    const { Readable } = await import('node:stream');
    const openUpload = async () => {
      opened += 1;
      return Readable.from([Buffer.from('<c><p><a>1</a></p></c>')]);
    };
    await readTable('', { rowPath: 'c/p', columns: { paths: ['a'], others: false } }, { format: 'XML', openUpload });
    assert.equal(opened, 1);
  });
});

describe('the formats of the trade as tables', () => {
  const fixture = (name: string) => readFile(new URL(name, FIXTURES));

  it('are read from the feed of Google Merchant Center', async () => {
    const table = await xml(await fixture('google-feed.xml'));
    assert.equal(table.format.rowPath, 'rss/channel/item');
    const [first, second] = objects(table);
    assert.deepEqual(
      { ...first },
      {
        ...{ 'g:id': 'SKU-1', title: 'City bike "Nora"', description: 'A <b>light</b> bike & more' },
        ...{ link: 'https://shop.example/p/1?a=1&b=2', 'g:image_link': 'https://shop.example/i/1.jpg' },
        'g:additional_image_link': 'https://shop.example/i/1-2.jpg\nhttps://shop.example/i/1-3.jpg',
        ...{ 'g:availability': 'in_stock', 'g:price': '799.00 EUR', 'g:brand': 'Nordlicht', 'g:gtin': '4006381333931' },
        ...{ 'g:shipping/0/g:country': 'DE', 'g:shipping/0/g:price': '4.90 EUR' },
        ...{ 'g:shipping/1/g:country': 'AT', 'g:shipping/1/g:price': '9.90 EUR' },
        'g:product_detail[g:attribute_name=Gears]/g:section_name': 'General',
        'g:product_detail[g:attribute_name=Gears]/g:attribute_value': '7',
        'g:product_detail[g:attribute_name=Frame]/g:section_name': 'General',
        'g:product_detail[g:attribute_name=Frame]/g:attribute_value': 'Steel',
      },
    );
    assert.equal(second?.title, 'Helmet größer');
  });

  it('are read from BMEcat 2005, in ISO-8859-1 and with a document type', async () => {
    const table = await xml(await fixture('bmecat-2005.xml'));
    assert.equal(table.format.rowPath, 'BMECAT/T_NEW_CATALOG/PRODUCT');
    const [first, second] = objects(table);
    assert.equal(first?.['PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=ger]'], 'Schraube, größer');
    assert.equal(first?.['PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=eng]'], 'Screw');
    assert.equal(first?.['PRODUCT_DETAILS/KEYWORD'], 'Schraube\nMetall');
    assert.equal(first?.['PRODUCT_FEATURES/FEATURE[FNAME=Farbe]/FVALUE'], 'rot\nblau');
    assert.equal(first?.['PRODUCT_FEATURES/FEATURE[FNAME=Länge/Breite]/FVALUE'], '12,5');
    assert.equal(first?.['PRODUCT_FEATURES/FEATURE[FNAME=Länge/Breite]/FUNIT'], 'MMT');
    assert.equal(first?.['PRODUCT_PRICE_DETAILS/PRODUCT_PRICE/PRICE_AMOUNT'], '1.25');
    assert.equal(first?.['MIME_INFO/MIME/1/MIME_SOURCE'], 'a1.pdf');
    assert.deepEqual([second?.['@mode'], second?.SUPPLIER_PID], ['new', 'A-200']);
  });

  it('are read from ETIM xChange', async () => {
    const table = await json(await fixture('etim-xchange.json'));
    assert.equal(table.format.rowPath, 'Supplier/Product');
    const [first] = objects(table);
    const features = 'EtimClassification/0/EtimFeatures';
    assert.equal(first?.[`${features}[EtimFeatureCode=EF000008]/NumericValue`], '12.5');
    assert.equal(first?.[`${features}[EtimFeatureCode=EF000116]/EtimValueCode`], 'EV000080');
    assert.equal(first?.[`${features}[EtimFeatureCode=EF000007]/LogicalValue`], 'TRUE');
    const german = 'ProductDetails/ProductDescriptions[DescriptionLanguage=de-DE]/MinimalProductDescription';
    assert.equal(first?.[german], 'Schalter');
    assert.deepEqual((await json(await fixture('etim-xchange.json'), 'Supplier/TradeItem')).rows.length, 2);
  });

  it('are read from JSON-LD', async () => {
    const table = await json(await fixture('json-ld.json'));
    assert.equal(table.format.rowPath, '@graph');
    const [first, second] = objects(table);
    assert.equal(first?.['additionalProperty[name=Color]/value'], 'red');
    assert.equal(first?.['additionalProperty[name=Weight]/unitCode'], 'KGM');
    assert.equal(first?.['offers/price'], '799.9');
    assert.equal(second?.image, 'https://shop.example/i/3.jpg');
  });
});
