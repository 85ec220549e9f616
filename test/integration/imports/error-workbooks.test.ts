/** The error file of a workbook: its cells are those of the workbook, and those at fault are marked and commented. */
import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Outcome, Shop } from '../../support/http/shop.js';
import { workbookFile } from '../../support/models/workbook-file.js';
import { zipEntries } from '../../support/models/zip-entries.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const FORMATS = ['dd\\.mm\\.yyyy', '#,##0.00\\ "kg"', 10, 49] as const;
const HEADER = ['SKU', 'Category Node', 'Title', 'Weight', 'Sold', 'Active', 'Share', 'Stock', '_own'];

const text = (column: string, row: number, value: string, style = 0): string =>
  `<c r="${column}${row}" s="${style}" t="inlineStr"><is><t>${value}</t></is></c>`;
const number = (column: string, row: number, value: string, style = 0): string =>
  `<c r="${column}${row}" s="${style}"><v>${value}</v></c>`;
const header = HEADER.map((title, index) => text(String.fromCharCode(65 + index), 1, title)).join('');

/** Row 2 is fine; row 4, after a blank one, has two faults; row 5 lacks its category. */
const ROWS =
  `<row r="1">${header}</row>` +
  `<row r="2">${text('A', 2, 'a')}${text('B', 2, 'Disk')}</row>` +
  `<row r="4">${text('A', 4, '007', 4)}${text('B', 4, 'Disk')}${text('C', 4, 'NULL &amp; co', 4)}${number('D', 4, '12.5', 2)}` +
  `${number('E', 4, '45000', 1)}<c r="F4" t="b"><v>1</v></c>${number('G', 4, '0.25', 3)}` +
  `${text('H', 4, 'many')}${number('I', 4, '45000.5', 1)}</row>` +
  `<row r="5">${text('A', 5, 'b')}${number('D', 5, '1.50', 2)}<c r="E5" t="e"><v>#N/A</v></c></row>`;

interface Shown {
  readonly value: string;
  readonly type: string | undefined;
  readonly format: string;
  readonly isMarked: boolean;
}

/** The cells of the first sheet by their names, with their formats as the styles of the workbook say, and the comments. */
async function shownCells(workbook: Buffer): Promise<{ cells: Map<string, Shown>; comments: Map<string, string> }> {
  const parts = await zipEntries(workbook);
  const styles = parts.get('xl/styles.xml') ?? '';
  const codes = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id, code]),
  );
  const formats = [
    ...(/<cellXfs.*<\/cellXfs>/s.exec(styles)?.[0] ?? '').matchAll(/<xf numFmtId="(\d+)"[^>]*fillId="(\d+)"/g),
  ];
  const sheet = parts.get('xl/worksheets/sheet1.xml') ?? '';
  const cells = new Map<string, Shown>();
  for (const [, name = '', attributes = '', content = ''] of sheet.matchAll(
    /<c r="([A-Z]+\d+)"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs,
  )) {
    const style = formats[Number(/ s="(\d+)"/.exec(attributes)?.[1] ?? 0)];
    const [, id = '0', fill] = style ?? [];
    const value = content.replace(/<[^>]*>/g, '');
    const type = / t="(\w+)"/.exec(attributes)?.[1];
    cells.set(name, { value, type, format: codes.get(id)?.replaceAll('&quot;', '"') ?? id, isMarked: fill === '3' });
  }
  const noted = parts.get('xl/comments1.xml') ?? '';
  const comments = [...noted.matchAll(/<comment ref="(\w+)".*?<t xml:space="preserve">(.*?)<\/t>/gs)];
  const boxes = (parts.get('xl/drawings/vmlDrawing1.vml') ?? '').match(/<v:shape /g) ?? [];
  assert.equal(boxes.length, comments.length, 'each comment has its box');
  return { cells, comments: new Map(comments.map(([, name = '', said = '']) => [name, said])) };
}

describe('the error file of a workbook', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 2 });
    shop = await (await world.newShop()).define({
      attributes: [
        'Title',
        { name: 'Weight', type: 'DECIMAL' },
        { name: 'Sold', type: 'DATETIME', format: 'yyyy-dd-MM' },
        { name: 'Active', type: 'BOOLEAN' },
        { name: 'Share', type: 'DECIMAL' },
        { name: 'Stock', type: 'INTEGER' },
      ],
      categories: { Disk: ['Title', 'Weight', 'Sold', 'Active', 'Share', 'Stock'] },
    });
  });
  after(() => world.stop());

  const errorsOf = async (outcome: Outcome): Promise<Buffer> => (await shop.download(outcome.errorFile ?? '')).bytes;

  for (const gzipped of [false, true]) {
    it(`keeps types, number formats and dates, and marks what is wrong${gzipped ? ' (gzipped)' : ''}`, async () => {
      const name = `items.xlsx${gzipped ? '.gz' : ''}`;
      const workbook = await workbookFile({ rows: ROWS, formats: FORMATS });
      const outcome = await shop.importFile(name, gzipped ? gzipSync(workbook) : workbook);
      assert.deepEqual([...new Set(outcome.errors.map(({ row }) => row))], [4, 5]);
      const bytes = await errorsOf(outcome);
      const { cells, comments } = await shownCells(gzipped ? gunzipSync(bytes) : bytes);
      const shown = (cell: string) => {
        const { value, type, format } = cells.get(cell) ?? assert.fail(`there is no ${cell}`);
        return [value, type ?? 'n', format];
      };
      assert.deepEqual(['A2', 'C2', 'D2', 'E2', 'F2', 'G2', 'H2', 'I2', 'E3'].map(shown), [
        ['007', 'inlineStr', '49'],
        ['NULL &amp; co', 'inlineStr', '49'],
        ['12.5', 'n', '#,##0.00\\ "kg"'],
        ['45000', 'n', 'dd\\.mm\\.yyyy'],
        ['1', 'b', '0'],
        ['0.25', 'n', '10'],
        ['many', 'inlineStr', '0'],
        ['45000.5', 'n', 'dd\\.mm\\.yyyy'],
        ['#N/A', 'e', '0'],
      ]);
      const marked = [...cells].flatMap(([cell, { isMarked }]) => (isMarked ? [cell] : []));
      assert.deepEqual(marked, ['H2', 'B3', 'E3']);
      assert.deepEqual([...comments.keys()], marked);
      const [stock, sold] = ['Stock', 'Sold'].map((column) => outcome.errors.find((error) => error.column === column));
      assert.equal(comments.get('H2'), `VALUE_TYPE: ${stock?.message.replaceAll('<', '&lt;')}`);
      assert.equal(comments.get('E3'), `VALUE_TYPE: ${sold?.message.replaceAll('<', '&lt;')}`);
    });
  }

  it('has the days of a workbook that counts them from 1904, and is read again alike', async () => {
    const given = await workbookFile({ rows: ROWS, formats: FORMATS, date1904: true });
    const outcome = await shop.importFile('items.xlsx', given);
    const bytes = await errorsOf(outcome);
    const { cells } = await shownCells(bytes);
    assert.deepEqual(cells.get('E2')?.value, String(45_000 + 1_462));
    const again = await shop.importFile('again.xlsx', bytes);
    assert.deepEqual(
      again.errors.map(({ code, message }) => [code, message]),
      outcome.errors.map(({ code, message }) => [code, message]),
    );
  });
});
