/** Categories from workbooks: cells as people and programs type them, and what exports and error files hold. */
import assert from 'node:assert/strict';
import type { Cell } from '../../../src/domain/formats/xlsx/cell.js';
import { exportFile } from '../../support/http/exporting.js';
import { type Outcome, places, type Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { cellsOf, workbookOf } from '../../support/models/written-workbook.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const HEADER = ['Category Path', 'Type', 'Order', 'Active', 'Item Attributes'];
const ATTRIBUTES = ['Title', 'Colour', '2024', 'a;b!'];

interface Listed {
  readonly breadcrumbs: readonly { readonly name: string }[];
  readonly order: number;
  readonly active: boolean;
  readonly attributes: readonly { readonly name: string; readonly required: boolean; readonly inherited: boolean }[];
}

describe('workbooks of categories', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ATTRIBUTES });
  });

  const importBook = (bytes: Buffer, to: Shop = shop, options = {}): Promise<Outcome> =>
    to.importFile('categories.xlsx', bytes, options, { type: 'CATEGORY_IMPORT' });
  const counts = ({ created, updated, unchanged, failed }: Outcome) => ({ created, updated, unchanged, failed });
  /** Path → order, status and own attributes. */
  const categories = async (of: Shop = shop): Promise<Record<string, string>> => {
    const { data }: { data: readonly Listed[] } = await of.ask('GET', '/api-category/v1/category?limit=100');
    return Object.fromEntries(
      data.map(({ breadcrumbs, order, active, attributes }) => {
        const own = attributes.filter(({ inherited }) => !inherited);
        const names = own.map(({ name, required }) => `${name}${required ? '!' : ''}`);
        return [breadcrumbs.map(({ name }) => name).join('->'), [order, active, ...names].join(' ')];
      }),
    );
  };

  const ROWS: readonly (readonly Cell[])[] = [
    ['Storage->Disk->SSD', null, '3', 'yes', 'Colour'],
    ['PRIMARY->Storage->Disk', 'PRIMARY', 2, true, 'Title!;2024'],
    ['Storage', 'primary', -1, false, null],
    [2024, null, 0, 1, 2024],
    ['Summer->Beach', 'ALTERNATE', 1, 'no', null],
    ['Summer', 'ALTERNATE', null, 'TRUE', null],
    ['HDMI \\-> DVI', null, null, null, 'a\\;b\\!!'],
    ['007', null, null, null, null],
  ];
  const EXPECTED = {
    PRIMARY: '0 true',
    'PRIMARY->Storage': '-1 false',
    'PRIMARY->Storage->Disk': '2 true Title! 2024',
    'PRIMARY->Storage->Disk->SSD': '3 true Colour',
    'PRIMARY->2024': '0 true 2024',
    'PRIMARY->HDMI -> DVI': '0 true a;b!!',
    'PRIMARY->007': '0 true',
    Summer: '0 true',
    'Summer->Beach': '1 false',
  };

  it('are read whether cells hold texts, numbers or booleans, and again without a change', async () => {
    const book = await workbookOf(HEADER, ROWS);
    const outcome = await importBook(book);
    assert.deepEqual(places(outcome), []);
    assert.deepEqual(counts(outcome), { created: 8, updated: 0, unchanged: 0, failed: 0 });
    assert.deepEqual(await categories(), EXPECTED);
    assert.deepEqual(counts(await importBook(book)), { created: 0, updated: 0, unchanged: 8, failed: 0 });
  });

  it('are read as other programs write them: shared texts, formulas by their saved result, blank lines', async () => {
    const book = await workbookFile({
      strings:
        '<si><t>category path</t></si><si><t> ORDER</t></si><si><r><t>Sto</t></r><r><t>rage</t></r></si><si><t>Active</t></si>',
      rows:
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>3</v></c><c r="C1" t="s"><v>1</v></c></row>' +
        '<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="b"><v>0</v></c><c r="C2"><v>7.0</v></c></row>' +
        '<row r="4"><c r="A4" t="str"><f>A2&amp;"->Disk"</f><v>Storage->Disk</v></c><c r="C4"><f>1+1</f><v>2</v></c></row>' +
        '<row r="5"><c r="A5" t="str"><v>Tape</v></c><c r="C5" t="e"><v>#N/A</v></c></row>',
    });
    const outcome = await importBook(book);
    assert.deepEqual(counts(outcome), { created: 2, updated: 0, unchanged: 0, failed: 1 }, JSON.stringify(outcome));
    assert.deepEqual(places(outcome), [[5, 'ORDER', 'VALUE_TYPE']]);
    assert.deepEqual(await categories(), {
      PRIMARY: '0 true',
      'PRIMARY->Storage': '7 false',
      'PRIMARY->Storage->Disk': '2 true',
    });
  });

  it('clear by NULL, leave alone by an empty cell, and tell what is wrong in an error file of their own format', async () => {
    await importBook(await workbookOf(HEADER, ROWS));
    const outcome = await importBook(
      await workbookOf(HEADER, [
        ['Storage->Disk', null, 'NULL', null, 'NULL'],
        ['Storage', null, 1.5, null, null],
        ['2024', null, null, { date: '2024-01-31' }, null],
        ['Tape', 'SIDE', null, 'maybe', 'Titel'],
        ['Storage->Disk->HDD', null, 5, true, 'Colour!'],
      ]),
    );
    assert.deepEqual(places(outcome), [
      [3, 'Order', 'VALUE_TYPE'],
      [4, 'Active', 'VALUE_TYPE'],
      [5, 'Type', 'FIELD_INVALID'],
      [5, 'Active', 'FIELD_INVALID'],
    ]);
    const after = await categories();
    assert.equal(after['PRIMARY->Storage->Disk'], '0 true');
    assert.equal(after['PRIMARY->Storage->Disk->HDD'], '5 true Colour!');
    const { name, bytes } = await shop.download(outcome.errorFile ?? '');
    assert.equal(name, 'errors-categories.xlsx');
    const [header, first] = await cellsOf(bytes);
    assert.deepEqual(header?.slice(0, 9), [...HEADER, '_row', '_column', '_code', '_message']);
    assert.deepEqual(first?.slice(0, 8), ['Storage', '', 'n:1.5', '', '', 'n:3', 'Order', 'VALUE_TYPE']);
    assert.equal((await importBook(bytes)).failed, 3);
  });

  it('come back from an export: nothing changes here, and an empty site becomes the same', async () => {
    await importBook(await workbookOf(HEADER, ROWS));
    const { bytes } = await exportFile(shop, { entity: 'category', body: { format: 'XLSX' } });
    const again = await importBook(bytes);
    assert.deepEqual(counts(again), { created: 0, updated: 0, unchanged: 9, failed: 0 });
    const copy = await (await world.newShop()).define({ attributes: ATTRIBUTES });
    const read = await importBook(bytes, copy, { onError: 'abort' });
    assert.deepEqual([read.status, read.failed], ['COMPLETED', 0], JSON.stringify(read));
    assert.deepEqual(await categories(copy), EXPECTED);
    assert.ok((await exportFile(copy, { entity: 'category', body: { format: 'XLSX' } })).bytes.equals(bytes));
  });

  it('are offered as a template, which is read filled in, and refused with a header of something else', async () => {
    const answer = await shop.call('POST', '/category-import-templates', { body: { format: 'XLSX' } });
    const [header] = await cellsOf(answer.bytes);
    assert.deepEqual(header, HEADER);
    assert.deepEqual((await importBook(answer.bytes)).reason, 'NO_ROWS');
    const other = await importBook(await workbookOf(['Category', 'Order'], [['Storage', 1]]));
    assert.deepEqual([other.status, other.reason], ['REJECTED', 'UNKNOWN_COLUMN']);
    assert.match(other.message, /"Category", is not a column of category files/);
  });
});
