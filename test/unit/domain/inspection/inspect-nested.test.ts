/** What an inspection says of JSON and XML files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { columnOf, inspect } from './inspect-fixture.js';

const FIXTURES = new URL('../../../../../test/fixtures/nested/', import.meta.url);
const fixture = (name: string) => readFile(new URL(name, FIXTURES));

describe('the inspection of a nested source', () => {
  it('recognises a feed of Google, and asks nothing that only tables have', async () => {
    const inspection = await inspect(await fixture('google-feed.xml'), { format: 'XML' });
    const { format, kind } = inspection;
    assert.deepEqual([kind.value, kind.verdict], ['googleFeed', 'certain']);
    assert.deepEqual([format.rowPath?.value, format.rowPath?.verdict], ['rss/channel/item', 'certain']);
    assert.deepEqual([format.delimiter, format.quote, format.sheet, format.lastRows], [null, null, null, 0]);
    assert.deepEqual([format.headerRow.value, format.headerRow.verdict], [null, 'certain']);
    assert.equal(columnOf(inspection, 'g:additional_image_link').list?.value, '\n');
    assert.equal(columnOf(inspection, 'g:price').type.value, 'decimal');
    assert.deepEqual(columnOf(inspection, 'g:price').number?.currency, ['EUR']);
  });

  it('recognises BMEcat, its encoding and its languages', async () => {
    const inspection = await inspect(await fixture('bmecat-2005.xml'), { format: 'XML' });
    assert.equal(inspection.kind.value, 'items');
    assert.match(inspection.kind.reason, /BMEcat/);
    assert.equal(inspection.format.encoding.value, 'windows-1252');
    assert.match(inspection.format.encoding.reason, /ISO-8859-1/);
    assert.equal(columnOf(inspection, 'PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=ger]').locale, 'de');
    assert.equal(columnOf(inspection, 'PRODUCT_DETAILS/DESCRIPTION_SHORT[@lang=eng]').locale, 'en');
  });

  it('recognises an update of prices in BMEcat', async () => {
    const text =
      '<BMECAT><T_UPDATE_PRICES><PRODUCT><SUPPLIER_PID>1</SUPPLIER_PID></PRODUCT></T_UPDATE_PRICES></BMECAT>';
    assert.equal((await inspect(text, { format: 'XML' })).kind.value, 'prices');
  });

  it('recognises ETIM xChange, and that its trade items may be the rows as well', async () => {
    const { format, kind } = await inspect(await fixture('etim-xchange.json'), { format: 'JSON' });
    assert.match(kind.reason, /ETIM xChange/);
    assert.equal(format.rowPath?.value, 'Supplier/Product');
    assert.ok(format.rowPath?.rivals.includes('Supplier/TradeItem'), String(format.rowPath?.rivals));
  });

  it('recognises items in JSON-LD by the last names of their paths', async () => {
    const { kind, format } = await inspect(await fixture('json-ld.json'), { format: 'JSON' });
    assert.deepEqual([kind.value, format.rowPath?.value], ['items', '@graph']);
  });

  it('asks for the rows, if two paths are as plausible', async () => {
    const list = (name: string) => `"${name}":[{"a":1,"b":2,"c":3},{"a":1,"b":2,"c":4}]`;
    const { format } = await inspect(`{${list('left')},${list('right')}}`, { format: 'JSON' });
    assert.equal(format.rowPath?.verdict, 'ambiguous');
    assert.deepEqual([format.rowPath?.value, ...(format.rowPath?.rivals ?? [])].sort(), ['left', 'right']);
  });

  it('takes the products of categories as rows, and the variants of products as parts of them', async () => {
    const products = '<product><sku>1</sku><name>x</name><price>1</price><brand>b</brand><ean>4</ean></product>'.repeat(
      3,
    );
    const categories = `<shop>${`<category><name>n</name>${products}</category>`.repeat(2)}</shop>`;
    assert.equal((await inspect(categories, { format: 'XML' })).format.rowPath?.value, 'shop/category/product');
    const variants = '<variant><sku>1</sku><size>2</size><price>3</price><stock>4</stock></variant>'.repeat(3);
    const shop = `<shop>${`<product><id>1</id><title>t</title>${variants}</product>`.repeat(2)}</shop>`;
    assert.equal((await inspect(shop, { format: 'XML' })).format.rowPath?.value, 'shop/product');
  });

  it('takes a document with one object as one row', async () => {
    const text = '{"sku":"A","name":"Bike","price":1,"offers":[{"a":1},{"a":2}],"brand":"x"}';
    const { format, rows } = await inspect(text, { format: 'JSON' });
    assert.deepEqual([format.rowPath?.value, rows], ['.', 1]);
  });

  it('judges the encoding by the bytes where the declaration is wrong, and inspects JSON in any', async () => {
    const wrong = '<?xml version="1.0" encoding="UTF-8"?><c><p><a>Fahrräder größer über</a></p><p><a>schön</a></p></c>';
    const inspection = await inspect(Buffer.from(wrong, 'latin1'), { format: 'XML' });
    assert.equal(inspection.format.encoding.value, 'windows-1252');
    assert.deepEqual(columnOf(inspection, 'a').examples, ['Fahrräder größer über', 'schön']);
    const json = await inspect(Buffer.from('[{"a":"Fahrräder größer über"},{"a":"schön"}]', 'latin1'), {
      format: 'JSON',
    });
    assert.equal(json.format.encoding.value, 'windows-1252');
  });

  it('counts rows that cannot be read, and takes no row for a total', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `{"sku":"A-${index}","name":"n${index}","size":${index}}`);
    const { rows, format } = await inspect([...lines, '{"sku":"Total"}'].join('\n'), { format: 'JSONL' });
    assert.deepEqual([rows, format.lastRows], [31, 0]);
  });

  it('refuses a file without values', async () => {
    await assert.rejects(inspect('', { format: 'XML' }), { reason: 'EMPTY_FILE' });
    await assert.rejects(inspect('<a/>', { format: 'XML' }), { reason: 'NO_ROWS' });
    await assert.rejects(inspect('[1,2]', { format: 'JSON' }), { reason: 'NO_ROWS' });
  });
});
