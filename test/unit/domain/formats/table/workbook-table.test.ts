import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { RejectReason } from '../../../../../src/domain/formats/model/rejected-input.js';
import type { TableOptions } from '../../../../../src/domain/formats/table/table.js';
import {
  relationships,
  sheetXml,
  type WorkbookParts,
  workbookFile,
  workbookXml,
} from '../../../../support/models/workbook-file.js';
import { assertNotATable, type ReadTable, readTable, shownRows } from './table-fixture.js';

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const FIXTURES = new URL('../../../../../../test/fixtures/', import.meta.url);

/** A row of inline texts; empty ones are left out. */
function row(number: number, ...texts: string[]): string {
  const cells = texts.map((text, index) =>
    text === '' ? '' : `<c r="${'ABCDEF'.charAt(index)}${number}" t="inlineStr"><is><t>${text}</t></is></c>`,
  );
  return `<row r="${number}">${cells.join('')}</row>`;
}

async function read(workbook: WorkbookParts, options: TableOptions = {}): Promise<ReadTable> {
  return readTable(await workbookFile(workbook), options, { format: 'XLSX' });
}

/** The text and the type of a cell in column B of row 2. */
async function cellOf(cell: string, workbook: WorkbookParts = {}): Promise<[string | undefined, string | undefined]> {
  const rows = `${row(1, 'SKU', 'Value')}<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c>${cell}</row>`;
  const table = await read({ ...workbook, rows });
  return [table.rows[0]?.cells[1], table.rows[0]?.types?.charAt(1)];
}

describe('a workbook as a table', () => {
  it('has cells of the types that its cells have', async () => {
    const strings = '<si><t>Größe</t></si>';
    assert.deepEqual(await cellOf('<c r="B2" t="s"><v>0</v></c>', { strings }), ['Größe', 't']);
    assert.deepEqual(await cellOf('<c r="B2" t="inlineStr"><is><t>007</t></is></c>'), ['007', 't']);
    assert.deepEqual(await cellOf('<c r="B2" t="str"><f>A1</f><v>x</v></c>'), ['x', 't']);
    assert.deepEqual(await cellOf('<c r="B2"><v>19.989999999999998</v></c>'), ['19.99', 'n']);
    assert.deepEqual(await cellOf('<c r="B2"><v>1E21</v></c>'), ['1000000000000000000000', 'n']);
    assert.deepEqual(await cellOf('<c r="B2" t="b"><v>1</v></c>'), ['TRUE', 'b']);
    assert.deepEqual(await cellOf('<c r="B2" t="d"><v>2026-01-31</v></c>'), ['2026-01-31', 'd']);
    assert.deepEqual(await cellOf('<c r="B2" t="d"><v>2026-01-31T10:00:00</v></c>'), ['2026-01-31T10:00:00.000Z', 'i']);
    assert.deepEqual(await cellOf('<c r="B2"/>'), ['', 't']);
  });

  it('has days, instants and codes by the format of a number', async () => {
    const formats = ['dd.mm.yyyy', 'yyyy-mm-dd hh:mm', '00000', 'hh:mm', '0.00%'];
    const number = (style: number, value: string): string => `<c r="B2" s="${style}"><v>${value}</v></c>`;
    assert.deepEqual(await cellOf(number(1, '45000'), { formats }), ['2023-03-15', 'd']);
    assert.deepEqual(await cellOf(number(2, '45000.5'), { formats }), ['2023-03-15T12:00:00.000Z', 'i']);
    assert.deepEqual(await cellOf(number(3, '42'), { formats }), ['00042', 't']);
    assert.deepEqual(await cellOf(number(3, '123456'), { formats }), ['123456', 't']);
    assert.deepEqual(await cellOf(number(3, '1.5'), { formats }), ['1.5', 'n']);
    assert.deepEqual(await cellOf(number(4, '0.5'), { formats }), ['12:00:00', 't']);
    assert.deepEqual(await cellOf(number(5, '0.19'), { formats }), ['0.19', 'n']);
  });

  it('marks cells that hold no value', async () => {
    assert.deepEqual(await cellOf('<c r="B2" t="e"><v>#N/A</v></c>'), ['\0e#N/A', '!']);
    assert.deepEqual(await cellOf('<c r="B2"><f>A1</f></c>'), ['\0f', '!']);
    assert.deepEqual(await cellOf('<c r="B2" s="1"><v>9999999</v></c>', { formats: [14] }), ['\0o9999999', '!']);
    assert.deepEqual(await cellOf('<c r="B2" t="inlineStr"><is><t>a_x0000_b</t></is></c>'), ['\0x"a\\u0000b"', '!']);
  });

  it('has the numbers of the rows of its sheet, and cells for all columns', async () => {
    const table = await read({ rows: `${row(3, 'SKU', '', 'Name')}${row(5, '', 'b')}${row(6, '', '')}${row(9, 'A')}` });
    assert.deepEqual(table.header, ['SKU', '', 'Name']);
    assert.deepEqual(table.names, ['SKU', 'Column 2', 'Name']);
    assert.deepEqual(table.titleLines, []);
    assert.deepEqual(table.format, {
      encoding: 'utf-8',
      delimiter: null,
      headerRow: 3,
      sheet: 'Sheet1',
      rowPath: null,
    });
    assert.deepEqual(table.rows, [
      { row: 5, cells: ['', 'b', ''], types: 'ttt', problem: null },
      { row: 9, cells: ['A', '', ''], types: 'ttt', problem: null },
    ]);
  });

  it('has its header below merged title cells, and no rows that are skipped', async () => {
    const rows = [
      row(1, 'Preisliste 2026'),
      row(3, 'Stand', '31.12.'),
      row(4, 'SKU', 'Name'),
      row(5, 'text', 'text'),
      row(7, 'A', 'b'),
      row(8, 'Total', '', '1'),
    ].join('');
    const merged = `${sheetXml(rows).replace('</worksheet>', '')}<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells></worksheet>`;
    const parts = { 'xl/worksheets/sheet1.xml': merged };
    const table = await read({ parts }, { headerRow: 4, skipFirst: 1, skipLast: 1 });
    assert.deepEqual(table.titleLines, ['Preisliste 2026', '', 'Stand\t31.12.']);
    assert.deepEqual(table.header, ['SKU', 'Name']);
    assert.deepEqual(shownRows(table), [[7, 'A', 'b']]);
    const total = await read({ parts }, { headerRow: 4 });
    assert.match(
      total.rows.at(-1)?.problem?.message ?? '',
      /^Row 8 has 3 cells, but the header has 2\. Clear the cells/,
    );
  });

  it('is the sheet that is named', async () => {
    const parts = {
      'xl/workbook.xml': workbookXml(['-Secret', 'One', 'Two']),
      'xl/_rels/workbook.xml.rels': relationships({
        rId1: [`${DOCUMENT}/worksheet`, 'worksheets/sheet1.xml'],
        rId2: [`${DOCUMENT}/worksheet`, 'worksheets/sheet2.xml'],
        rId3: [`${DOCUMENT}/worksheet`, 'worksheets/sheet3.xml'],
      }),
      'xl/worksheets/sheet2.xml': sheetXml(row(1, 'One')),
      'xl/worksheets/sheet3.xml': sheetXml(row(1, 'Two')),
    };
    assert.deepEqual((await read({ parts })).format.sheet, 'One');
    assert.deepEqual((await read({ parts }, { sheet: 'two' })).header, ['Two']);
    const file = await workbookFile({ parts });
    await assertNotATable(file, 'SHEET_NOT_FOUND', /no sheet "3"/, { sheet: '3' }, { format: 'XLSX' });
  });

  it('is refused as a whole with the reason', async () => {
    const refused = async (rows: string, options: TableOptions, reason: RejectReason, message: RegExp): Promise<void> =>
      assertNotATable(await workbookFile({ rows }), reason, message, options, { format: 'XLSX' });
    await refused('', {}, 'EMPTY_FILE', /The sheet "Sheet1" has no cells/);
    await refused(row(2, ' ', ' '), {}, 'INVALID_HEADER', /The header, row 2, holds nothing but blanks/);
    await refused(
      row(2, 'A') + row(4, 'B'),
      { headerRow: 3 },
      'INVALID_HEADER',
      /Row 3, which should be the header, is blank/,
    );
    await refused(row(2, 'A'), { headerRow: 9 }, 'INVALID_HEADER', /should be in row 9, but the last row is row 2/);
    await refused('<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row>', {}, 'INVALID_HEADER', /cell A1 holds no text/);
    await assertNotATable('SKU,Name\n', 'WRONG_FORMAT', /text, such as CSV/, {}, { format: 'XLSX' });
    await assertNotATable('', 'EMPTY_FILE', /empty/, {}, { format: 'XLSX' });
  });

  it('reads what LibreOffice has written, compressed too', async () => {
    const bytes = await readFile(new URL('libreoffice-typed-cells.xlsx', FIXTURES));
    const table = await readTable(bytes, { sheet: 'Disks' }, { format: 'XLSX' });
    assert.deepEqual(
      table.rows.map(({ row, types }) => [row, types]),
      [
        [2, 'tttnndn'],
        [5, 'nttnnib'],
        [6, 'ttn!ttt'],
      ],
    );
    assert.deepEqual(table.rows[1]?.cells.slice(2), [
      'Größe <1 TB>\n"zweite" Zeile',
      '24',
      '0.25',
      '2024-02-29T18:30:00.000Z',
      'FALSE',
    ]);
    assert.equal(table.rows[2]?.cells[3], '\0e#DIV/0!');
    const zipped = await readTable(gzipSync(bytes), { sheet: 'Disks' }, { format: 'XLSX', gzip: true });
    assert.deepEqual(zipped, table);
  });
});
