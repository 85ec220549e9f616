import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { RejectReason } from '../../../../../src/domain/formats/model/rejected-input.js';
import { openTable } from '../../../../../src/domain/formats/table/open-table.js';
import type { TableOptions } from '../../../../../src/domain/formats/table/table.js';
import { manifest, type OdsParts, odsFile, odsRow } from '../../../../support/models/ods-file.js';
import { workbookFile } from '../../../../support/models/workbook-file.js';
import { sourceInput } from '../source-fixture.js';
import { assertNotATable, type ReadTable, readTable, shownRows } from './table-fixture.js';

const FIXTURES = new URL('../../../../../../test/fixtures/', import.meta.url);

async function read(parts: OdsParts, options: TableOptions = {}): Promise<ReadTable> {
  return readTable(await odsFile(parts), options, { format: 'ODS' });
}

/** The text and the type of a cell in the second column. */
async function cellOf(cell: string, styles = '', columns = ''): Promise<[string | undefined, string | undefined]> {
  const text = '<table:table-cell office:value-type="string"><text:p>A</text:p></table:table-cell>';
  const rows = `${columns}${odsRow('SKU', 'Value')}<table:table-row>${text}${cell}</table:table-row>`;
  const table = await read({ rows, styles });
  return [table.rows[0]?.cells[1], table.rows[0]?.types?.charAt(1)];
}

function value(type: string, attributes: string, content = ''): string {
  return `<table:table-cell office:value-type="${type}" ${attributes}>${content}</table:table-cell>`;
}

const string = (content: string): string => value('string', '', content);

describe('an OpenDocument spreadsheet as a table', () => {
  it('has what LibreOffice has written, with its types, compressed too', async () => {
    const bytes = await readFile(new URL('libreoffice-price-list.ods', FIXTURES));
    const table = await readTable(bytes, { headerRow: 3 }, { format: 'ODS' });
    assert.equal(table.format.sheet, 'Disks');
    assert.deepEqual(table.titleLines, ['Preisliste 2026', '']);
    assert.deepEqual(table.header, ['SKU', 'Category Node', 'Title', 'Code', 'Stock', 'Weight', 'Sold', 'Active']);
    const text = 'Größe <1 TB>   _x0041_😀\nsecond line';
    assert.deepEqual(table.rows, [
      {
        row: 4,
        cells: ['007', 'Disk', text, '00042', '12', '12', '2024-02-29', 'TRUE'],
        types: 'ttttnndb',
        problem: null,
      },
      {
        row: 5,
        cells: ['same', 'Disk', '', '', '42', '0.19', '2024-02-29T18:30:00.000Z', 'FALSE'],
        types: 'ttttnnib',
        problem: null,
      },
      {
        row: 6,
        cells: ['same', 'Disk', '', '', '', '0.19', '2024-02-29T18:30:00.000Z', ''],
        types: 'tttttnit',
        problem: null,
      },
      {
        row: 10,
        cells: ['bad', 'Disk', '', '', '\0e#DIV/0!', '09:30:00', '1950.27', ''],
        types: 'tttt!tnt',
        problem: null,
      },
    ]);
    const zipped = await readTable(gzipSync(bytes), { headerRow: 3 }, { format: 'ODS', gzip: true });
    assert.deepEqual(zipped, table);
    const hidden = await readTable(bytes, { sheet: 'hidden' }, { format: 'ODS' });
    assert.deepEqual(hidden.header, ['not for import']);
  });

  it('has values of all types', async () => {
    assert.deepEqual(await cellOf(value('float', 'office:value="19.989999999999998"')), ['19.99', 'n']);
    assert.deepEqual(await cellOf(value('float', 'office:value="1E21"')), ['1000000000000000000000', 'n']);
    assert.deepEqual(await cellOf(value('currency', 'office:currency="EUR" office:value="5"')), ['5', 'n']);
    assert.deepEqual(await cellOf(value('percentage', 'office:value="0.5"')), ['0.5', 'n']);
    assert.deepEqual(await cellOf(value('date', 'office:date-value="1850-12-31"')), ['1850-12-31', 'd']);
    assert.deepEqual(await cellOf(value('date', 'office:date-value="2026-01-31T10:00:00.25"')), [
      '2026-01-31T10:00:00.250Z',
      'i',
    ]);
    assert.deepEqual(await cellOf(value('time', 'office:time-value="PT9H5M0.5S"')), ['09:05:00.500', 't']);
    assert.deepEqual(await cellOf(value('time', 'office:time-value="PT36H00M00S"')), ['1.5', 'n']);
    assert.deepEqual(await cellOf(value('boolean', 'office:boolean-value="false"')), ['FALSE', 'b']);
    assert.deepEqual(await cellOf('<table:table-cell><text:p>no type</text:p></table:table-cell>'), ['no type', 't']);
    assert.deepEqual(await cellOf('<table:table-cell/>'), ['', 't']);
  });

  it('has the text of cells, and none of their comments and drawings', async () => {
    const comment = '<office:annotation><text:p>COMMENT</text:p></office:annotation>';
    assert.deepEqual(
      await cellOf(
        string(`${comment}<text:p>a<text:s/><text:s text:c="2"/>b<text:tab/>c<text:line-break/>d\n e</text:p>`),
      ),
      ['a   b\tc\nd  e', 't'],
    );
    assert.deepEqual(
      await cellOf(
        string('<text:p>one <text:span>t<text:a>w</text:a>o</text:span></text:p><text:p/><text:p>three</text:p>'),
      ),
      ['one two\n\nthree', 't'],
    );
    const ruby = '<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>kan</text:ruby-text></text:ruby>';
    assert.deepEqual(await cellOf(string(`<text:p>${ruby}&amp;_x0041_</text:p>`)), ['漢&_x0041_', 't']);
    const table =
      '<table:table><table:table-row><table:table-cell><text:p>IN</text:p></table:table-cell></table:table-row></table:table>';
    assert.deepEqual(await cellOf(string(`<text:p>out</text:p>${table}`)), ['out', 't']);
  });

  it('has the results of formulas, and marks those that are missing', async () => {
    const formula = 'table:formula="of:=A1"';
    assert.deepEqual(await cellOf(value('float', `${formula} office:value="0"`)), ['0', 'n']);
    assert.deepEqual(await cellOf(value('string', `${formula} office:string-value="x"`, '<text:p>shown</text:p>')), [
      'x',
      't',
    ]);
    assert.deepEqual(await cellOf(value('string', `${formula} office:string-value=""`)), ['', 't']);
    assert.deepEqual(await cellOf(`<table:table-cell ${formula}/>`), ['\0f', '!']);
    assert.deepEqual(await cellOf('<table:table-cell table:formula="of:=&quot;&quot;"/>'), ['', 't']);
    assert.deepEqual(
      await cellOf(value('string', `${formula} calcext:value-type="error"`, '<text:p>Err:502</text:p>')),
      ['\0eErr:502', '!'],
    );
  });

  it('shows codes with their zeros, by the style of the cell or of its column', async () => {
    const styles =
      '<number:number-style style:name="N5"><number:number number:decimal-places="0" number:min-integer-digits="5"/></number:number-style>' +
      '<number:number-style style:name="N3"><number:text>No. </number:text><number:number number:min-integer-digits="3"/></number:number-style>' +
      '<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N5"/>' +
      '<style:style style:name="ce2" style:family="table-cell" style:parent-style-name="ce1"/>' +
      '<style:style style:name="ce3" style:family="table-cell" style:data-style-name="N3"/>';
    const number = (style: string): string => value('float', `table:style-name="${style}" office:value="42"`);
    assert.deepEqual(await cellOf(number('ce1'), styles), ['00042', 't']);
    assert.deepEqual(await cellOf(number('ce2'), styles), ['00042', 't']);
    assert.deepEqual(await cellOf(number('ce3'), styles), ['42', 'n']);
    const columns = '<table:table-column/><table:table-column table:default-cell-style-name="ce1"/>';
    assert.deepEqual(await cellOf(value('float', 'office:value="42"'), styles, columns), ['00042', 't']);
  });

  it('repeats cells and rows, and leaves out what is behind merged cells', async () => {
    const rows =
      `<table:table-header-rows>${odsRow('a', 'b', 'c', 'd')}</table:table-header-rows>` +
      '<table:table-row table:number-rows-repeated="2"/>' +
      '<table:table-row-group><table:table-row table:number-rows-repeated="3">' +
      '<table:table-cell table:number-columns-repeated="2" office:value-type="float" office:value="7"/>' +
      '<table:table-cell table:number-columns-spanned="2" office:value-type="string"><text:p>x</text:p></table:table-cell>' +
      '<table:covered-table-cell office:value-type="string"><text:p>BEHIND</text:p></table:covered-table-cell>' +
      '</table:table-row></table:table-row-group>' +
      '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>';
    assert.deepEqual(shownRows(await read({ rows })), [
      [4, '7', '7', 'x', ''],
      [5, '7', '7', 'x', ''],
      [6, '7', '7', 'x', ''],
    ]);
  });

  it('is the sheet that is named, else the first that is not hidden, else the first', async () => {
    const styles =
      '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const sheet = (name: string, style = 'ta0'): string =>
      `<table:table table:name="${name}" table:style-name="${style}">${odsRow(name)}</table:table>`;
    const sheets = sheet('Secret', 'ta1') + sheet('One') + sheet('Two');
    assert.equal((await read({ styles, sheets })).format.sheet, 'One');
    assert.deepEqual((await read({ styles, sheets }, { sheet: ' TWO ' })).header, ['Two']);
    assert.deepEqual((await read({ styles, sheets: sheet('A', 'ta1') + sheet('B', 'ta1') })).header, ['A']);
    const file = await odsFile({ styles, sheets });
    await assertNotATable(
      file,
      'SHEET_NOT_FOUND',
      /no sheet "3"\. It has "Secret", "One", "Two"/,
      { sheet: '3' },
      { format: 'ODS' },
    );
  });

  it('is refused as a whole with the reason', async () => {
    const refused = async (parts: OdsParts, reason: RejectReason, message: RegExp): Promise<void> =>
      assertNotATable(await odsFile(parts), reason, message, {}, { format: 'ODS' });
    await refused({}, 'EMPTY_FILE', /The sheet "Sheet1" has no cells/);
    await refused({ sheets: '' }, 'SHEET_NOT_FOUND', /has no sheet with cells/);
    await refused({ rows: `${odsRow('a')}<table:table-row>` }, 'WORKBOOK_DAMAGED', /not well-formed/);
    await refused({ parts: { 'content.xml': '<office:document-content/>' } }, 'WRONG_FORMAT', /another kind/);
    await refused(
      { parts: { 'META-INF/manifest.xml': manifest('<manifest:encryption-data/>') } },
      'WORKBOOK_ENCRYPTED',
      /password/,
    );
    await refused({ parts: { 'encrypted-package': 'x', 'content.xml': null } }, 'WORKBOOK_ENCRYPTED', /password/);
    await refused({ parts: { 'content.xml': null } }, 'WRONG_FORMAT', /an archive \(ZIP\) without a spreadsheet/);
    await assertNotATable(await workbookFile({}), 'WRONG_FORMAT', /a workbook in XLSX.*\.xlsx/, {}, { format: 'ODS' });
    await assertNotATable(await odsFile({}), 'WRONG_FORMAT', /OpenDocument.*end in \.ods/, {}, { format: 'XLSX' });
    await assertNotATable('SKU,Name\n', 'WRONG_FORMAT', /text, such as CSV.*save it as \.ods/, {}, { format: 'ODS' });
  });

  it('stops at what would cost more than it should', async () => {
    const refused = async (parts: OdsParts, reason: RejectReason, message: RegExp): Promise<void> =>
      assertNotATable(await odsFile(parts), reason, message, {}, { format: 'ODS' });
    const row = (attributes: string, cells: string): string =>
      `${odsRow('a', 'b')}<table:table-row ${attributes}>${cells}</table:table-row>`;
    const cell = (attributes: string, text = 'x'): string => value('string', attributes, `<text:p>${text}</text:p>`);
    const far = 'table:number-columns-repeated="1073741824"';
    await refused({ rows: row('', cell(far)) }, 'TOO_LARGE', /repeats more than 50000000 cells/);
    await refused(
      { rows: row('', cell('table:number-columns-repeated="20000"')) },
      'TOO_MANY_COLUMNS',
      /more than 16384 cells/,
    );
    await refused(
      { rows: row('', `<table:table-cell ${far}/>${cell('')}`) },
      'TOO_MANY_COLUMNS',
      /its column 1073741825/,
    );
    await refused({ rows: row('table:number-rows-repeated="1073741824"', cell('')) }, 'TOO_LARGE', /repeats more than/);
    await refused({ rows: row('table:number-rows-repeated="2000000"', cell('')) }, 'TOO_MANY_ROWS', /a row 1048577/);
    await refused({ rows: row('table:number-rows-repeated="99999999999"', cell('')) }, 'WORKBOOK_DAMAGED', /times/);
    await refused({ rows: row('', cell('', '<text:s text:c="1073741824"/>')) }, 'CELL_TOO_LONG', /Row 2, column A/);
    await refused({ rows: row('', cell('', 'x'.repeat(40_000))) }, 'CELL_TOO_LONG', /Row 2, column A/);
    await refused({ rows: row('', '<text:p>'.repeat(70)) }, 'WORKBOOK_TOO_COMPLEX', /nests/);
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>';
    await refused({ prolog: entities, rows: odsRow('&b;') }, 'DTD_REFUSED', /document type declaration/);
    await refused({ rows: odsRow('&b;') }, 'WORKBOOK_DAMAGED', /entity/);
  });

  it('yields to the event loop while it repeats a row', async () => {
    const rows = `${odsRow('a')}<table:table-row table:number-rows-repeated="1000000">${string('<text:p>x</text:p>')}</table:table-row>`;
    const { batches } = await openTable(sourceInput(await odsFile({ rows }), { format: 'ODS' }), {});
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    let count = 0;
    let largest = 0;
    for await (const batch of batches) {
      count += batch.length;
      largest = Math.max(largest, batch.length);
    }
    clearInterval(timer);
    assert.equal(count, 1_000_000);
    assert.ok(largest <= 10_000, `${largest} rows in a piece`);
    assert.ok(longest < 500, `${longest} ms`);
  });
});
