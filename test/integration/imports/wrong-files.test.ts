/** Files that are not what they were announced as are recognised, and the message says what they are. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { places, type Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('a file of the wrong type', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Sold', type: 'DATETIME' }],
      categories: { Disk: ['Title', 'Sold'] },
    });
  });
  after(() => world.stop());

  const assertRejected = async (name: string, content: string | Buffer, type: string, message: RegExp) => {
    const outcome = await shop.importFile(name, content, {}, { type });
    assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'WRONG_FORMAT'], `${name}: ${outcome.message}`);
    assert.match(outcome.message, message);
  };

  const ITEMS = 'SKU,Category Node,Title\na,Disk,T\n';
  const ATTRIBUTES = 'Attribute Title,Type of Attribute\nColour,SHORT TEXT\n';
  const CATEGORIES = 'Category Path,Type\nTape,PRIMARY\n';

  it('is named by its header', async () => {
    const items = /announced as ATTRIBUTE_IMPORT, but it holds items: its header has the column "SKU".*ITEM_IMPORT/;
    await assertRejected('a.csv', ITEMS, 'ATTRIBUTE_IMPORT', items);
    await assertRejected('a.csv', ITEMS, 'CATEGORY_IMPORT', /holds items/);
    await assertRejected('a.csv', ATTRIBUTES, 'ITEM_IMPORT', /holds attributes.*"Attribute Title".*ATTRIBUTE_IMPORT/);
    await assertRejected('a.csv', ATTRIBUTES, 'BUNDLE_IMPORT', /announced as BUNDLE_IMPORT, but it holds attributes/);
    await assertRejected('a.csv.gz', gzipSync(CATEGORIES), 'ITEM_IMPORT', /holds categories.*CATEGORY_IMPORT/);
  });

  it('is named by its first element', async () => {
    const item = '{"sku":"a","nodeName":"Disk"}';
    await assertRejected(
      'a.json',
      `[${item}]`,
      'ATTRIBUTE_IMPORT',
      /holds items: its first element has the member "sku"/,
    );
    await assertRejected('a.jsonl', `${item}\n`, 'CATEGORY_IMPORT', /holds items/);
    await assertRejected('a.json', '[{"name":"Colour","type":"TEXT"}]', 'ITEM_IMPORT', /holds attributes.*type TEXT/);
    await assertRejected('a.jsonl', '{"path":"Tape"}\n', 'ITEM_IMPORT', /holds categories/);
  });

  it('is the body of a form', async () => {
    const form = `------x7\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${ITEMS}\r\n------x7--\r\n`;
    const message = /body of a form \(multipart\/form-data\).*--upload-file/;
    for (const name of ['a.csv', 'a.tsv', 'a.json', 'a.jsonl', 'a.xlsx', 'a.csv.gz']) {
      await assertRejected(name, form, 'ITEM_IMPORT', message);
    }
  });

  it('is XML, which only a profile can import', async () => {
    const xml = '<catalog><product><sku>a</sku></product></catalog>';
    const message = /only by a profile.*options\.profile.*"hold": true/;
    for (const [name, content, type] of [
      ['a.xml', xml, 'ITEM_IMPORT'],
      ['a.xml.gz', gzipSync(xml), 'CATEGORY_IMPORT'],
    ] as const) {
      const outcome = await shop.importFile(name, content, {}, { type });
      assert.deepEqual([outcome.status, outcome.reason], ['REJECTED', 'PROFILE_REQUIRED']);
      assert.match(outcome.message, message);
    }
  });

  it('is a spreadsheet of another program', async () => {
    const mimetype = 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet';
    const ods = Buffer.concat([Buffer.from('504b03040a0000000000', 'hex'), Buffer.alloc(20), Buffer.from(mimetype)]);
    const xls = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)]);
    for (const name of ['a.csv', 'a.xlsx']) {
      await assertRejected(name, ods, 'ITEM_IMPORT', /OpenDocument file, such as ODS.*end in \.ods/);
      await assertRejected(name, xls, 'ITEM_IMPORT', /old Excel workbook \(XLS\).*Save it as \.xlsx/);
    }
    for (const [fileName, message] of [
      ['a.xls', /no ending that can be imported.*\.xls is an old Excel workbook: save it as \.xlsx/],
      ['a.numbers', /\.numbers is a spreadsheet of Numbers: save it as \.xlsx, \.ods or CSV/],
    ] as const) {
      const { status, body } = await shop.post('/files/product', { fileName, fileType: 'ITEM_IMPORT' });
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), message);
    }
  });

  it('a header that cannot be read is not said to have -1 columns, and no message is cut with two dots', async () => {
    const outcome = await shop.importFile('a.csv', 'SKU,"Title"x,Sold\na,b,c\n');
    assert.equal(outcome.reason, 'INVALID_HEADER');
    assert.doesNotMatch(outcome.message, /-1|\.\./);
  });

  it('cells of workbooks: numbers that are no dates, and formulas whose saved result is empty', async () => {
    const rows = (cells: string[][]) => cells.map((row) => `<row>${row.join('')}</row>`).join('');
    const sheet = (date1904: boolean) =>
      workbookFile({
        formats: [14],
        date1904,
        rows: rows([
          ['SKU', 'Category Node', 'Title', 'Sold'].map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`),
          ...[
            ['a', '<c><f>""</f><v></v></c>', '<c s="1"><v>-1</v></c>'],
            ['b', '<c t="str"><f>""</f><v></v></c>', '<c s="1"><v>2958466</v></c>'],
            ['c', '<c t="str"><f>""</f><v/></c>', '<c s="1"><v>45000</v></c>'],
            ['d', '<c><f>A1</f></c>', ''],
          ].map(([sku, title = '', sold = '']) => [
            `<c t="inlineStr"><is><t>${sku}</t></is></c>`,
            '<c t="inlineStr"><is><t>Disk</t></is></c>',
            title,
            sold,
          ]),
        ]),
      });
    for (const date1904 of [false, true]) {
      const outcome = await shop.importFile('a.xlsx', await sheet(date1904), { validateOnly: true });
      assert.deepEqual(places(outcome), [
        [2, 'Sold', 'VALUE_RANGE'],
        [3, 'Sold', 'VALUE_RANGE'],
        [5, 'Title', 'VALUE_TYPE'],
      ]);
      assert.match(
        outcome.errors[0]?.message ?? '',
        /formatted as a date, and its number \(-1\) is outside of the dates/,
      );
    }
  });
});
