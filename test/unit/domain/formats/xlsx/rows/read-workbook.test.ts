import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { WorkbookColumn } from '../../../../../../src/domain/formats/model/workbook-column.js';
import {
  relationships,
  sheetXml,
  type WorkbookParts,
  workbookFile,
  workbookXml,
} from '../../../../../support/models/workbook-file.js';
import { duplicates, plan } from '../../source-fixture.js';
import { OPEN_COLUMN, readWorkbook } from './workbook-fixture.js';

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const STRICT = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
const HEADER =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>SKU</t></is></c><c r="B1" t="inlineStr"><is><t>Value</t></is></c></row>';

/** What a cell in column B of row 2 is read as. */
async function valueIn(
  cell: string,
  workbook: WorkbookParts = {},
  column: WorkbookColumn = OPEN_COLUMN,
): Promise<string> {
  const rows = `${HEADER}<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c>${cell}</row>`;
  const read = await readWorkbook(await workbookFile({ ...workbook, rows }), {
    workbookColumns: (header) => header.map(() => column),
  });
  return read.rows[0]?.at(-1)?.toString() ?? '';
}

describe('the reader of workbooks', () => {
  it('reads shared, inline and computed texts, and none of how they are spoken', async () => {
    const strings =
      '<si><t>plain</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r>' +
      '<rPh sb="0" eb="1"><t>SPOKEN</t></rPh></si><si/><si><t>_x0041_&amp;_x005F_x0041_</t></si>';
    const cell = (index: number): string => `<c r="B2" t="s"><v>${index}</v></c>`;
    assert.equal(await valueIn(cell(0), { strings }), 'plain');
    assert.equal(await valueIn(cell(1), { strings }), 'rich text');
    assert.equal(await valueIn(cell(2), { strings }), '');
    assert.equal(await valueIn(cell(3), { strings }), 'A&_x0041_');
    const runs = '<is><r><t>in</t></r><r><t>line</t></r><rPh sb="0" eb="1"><t>SPOKEN</t></rPh></is>';
    assert.equal(await valueIn(`<c r="B2" t="inlineStr">${runs}</c>`), 'inline');
    assert.equal(await valueIn('<c r="B2" t="str"><f>"a"&amp;"b"</f><v>ab</v></c>'), 'ab');
    assert.equal(
      await valueIn('<c r="B2" t="inlineStr"><is><t xml:space="preserve"> a\n"b",;\t</t></is></c>'),
      ' a\n"b",;\t',
    );
  });

  it('keeps texts that look like numbers, and reads numbers with the fewest digits that are exact', async () => {
    assert.equal(await valueIn('<c r="B2" t="inlineStr"><is><t>007</t></is></c>'), '007');
    for (const [written, read] of [
      ['12', '12'],
      ['19.989999999999998', '19.99'],
      ['0.29999999999999999', '0.3'],
      ['1E-3', '0.001'],
      ['1.5E-7', '0.00000015'],
      ['1E21', '1000000000000000000000'],
      ['-0', '0'],
      ['012.50', '12.5'],
      ['4.0000000000000001E-3', '0.004'],
    ] as const) {
      assert.equal(await valueIn(`<c r="B2"><v>${written}</v></c>`), read);
    }
    const comma: WorkbookColumn = { kind: 'number', decimalSeparator: ',', writeDate: null };
    assert.equal(await valueIn('<c r="B2"><v>1.5</v></c>', {}, comma), '1,5');
  });

  it('takes a number for text only when it is whole and has at most 15 digits', async () => {
    const column: WorkbookColumn = { kind: 'text', decimalSeparator: '.', writeDate: null };
    assert.equal(await valueIn('<c r="B2"><v>4006381333931</v></c>', {}, column), '4006381333931');
    assert.match(await valueIn('<c r="B2"><v>1.5</v></c>', {}, column), /^VALUE_TYPE: the cell holds the number 1\.5/);
    assert.match(await valueIn('<c r="B2"><v>1234567890123450</v></c>', {}, column), /^VALUE_TYPE/);
    assert.match(
      await valueIn('<c r="B2" s="1"><v>45000</v></c>', { formats: [14] }, column),
      /^VALUE_TYPE: .*date.*2023-03-15/,
    );
  });

  it('reads booleans, and makes problems of errors, of formulas without a result and of what no text holds', async () => {
    assert.equal(await valueIn('<c r="B2" t="b"><v>1</v></c>'), 'TRUE');
    assert.equal(await valueIn('<c r="B2" t="b"><f>1=2</f><v>0</v></c>'), 'FALSE');
    for (const [written, read] of [
      ['true', 'TRUE'],
      ['false', 'FALSE'],
      ['TRUE', 'TRUE'],
      ['FALSE', 'FALSE'],
      [' 1 ', 'TRUE'],
      ['', ''],
    ] as const) {
      assert.equal(await valueIn(`<c r="B2" t="b"><v>${written}</v></c>`), read, `"${written}"`);
    }
    assert.match(await valueIn('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>'), /^VALUE_TYPE: .*#DIV\/0!/);
    assert.match(await valueIn('<c r="B2"><f>A1</f></c>'), /^VALUE_TYPE: .*result is not in the file/);
    assert.match(await valueIn('<c r="B2" t="inlineStr"><is><t>a_x0000_b</t></is></c>'), /^INVALID_TEXT/);
    assert.match(await valueIn('<c r="B2" t="inlineStr"><is><t>_xD800_</t></is></c>'), /^INVALID_TEXT/);
    assert.equal(await valueIn('<c r="B2" t="inlineStr"><is><t>_xD83D__xDE00_</t></is></c>'), '😀');
  });

  for (const [format, number, read] of [
    [14, '45351', '<2024-02-29>'],
    [22, '45351.5', '<2024-02-29T12:00:00.000Z>'],
    [22, '45351', '<2024-02-29T00:00:00.000Z>'],
    [14, '45351.25', '<2024-02-29T06:00:00.000Z>'],
    [20, '0.395833333333333', '<09:30:00>'],
    ['yyyy\\-mm\\-dd', '61', '<1900-03-01>'],
    ['dd.mm.yyyy', '59', '<1900-02-28>'],
    ['dd.mm.yyyy', '1', '<1900-01-01>'],
    ['[$-407]d. mmmm yyyy;@', '45351', '<2024-02-29>'],
    ['mmm', '45351', '<2024-02-29>'],
    ['h:mm AM/PM', '0.75', '<18:00:00>'],
    ['yyyy-mm-dd hh:mm:ss.000', '45351.000011574', '<2024-02-29T00:00:01.000Z>'],
    ['[h]:mm', '1.5', '1.5'],
    ['0.00E+00', '45351', '45351'],
    ['"day" 0', '45351', '45351'],
    ['#,##0.00\\ [$€-407];[Red]-#,##0.00', '45351', '45351'],
    ['General', '45351', '45351'],
    [49, '45351', '45351'],
    ['yyyy', '2958465.999999', '<9999-12-31T23:59:59.914Z>'],
  ] as const) {
    it(`reads ${number} in the format ${format} as ${read}`, async () => {
      assert.equal(await valueIn(`<c r="B2" s="1"><v>${number}</v></c>`, { formats: [format] }), read);
    });
  }

  it('makes problems of dates that no calendar has', async () => {
    for (const number of ['0', '60', '-1', '2958466']) {
      const problem = await valueIn(`<c r="B2" s="1"><v>${number}</v></c>`, { formats: ['yyyy-mm-dd'] });
      assert.match(problem, /^VALUE_RANGE: the cell is formatted as a date, and its number \(/, number);
    }
  });

  it('counts days from 1904 where the workbook does, and reads dates that are written out', async () => {
    const workbook = { formats: [14, 22], date1904: true };
    assert.equal(await valueIn('<c r="B2" s="1"><v>0</v></c>', workbook), '<1904-01-01>');
    assert.equal(await valueIn('<c r="B2" s="1"><v>43889</v></c>', workbook), '<2024-02-29>');
    assert.equal(await valueIn('<c r="B2" s="2"><v>60.5</v></c>', workbook), '<1904-03-01T12:00:00.000Z>');
    assert.equal(await valueIn('<c r="B2" t="d"><v>2024-02-29</v></c>'), '<2024-02-29>');
    assert.equal(await valueIn('<c r="B2" t="d"><v>2024-02-29T12:30:00</v></c>'), '<2024-02-29T12:30:00.000Z>');
  });

  it('rounds the seconds of dates that are written out, and makes no other day of one that does not exist', async () => {
    for (const [written, read] of [
      ['2024-02-29T12:30:00.122999928', '<2024-02-29T12:30:00.123Z>'],
      ['2024-02-29T12:30:00.250000000', '<2024-02-29T12:30:00.250Z>'],
      ['2024-02-29T23:59:59.999999999', '<2024-03-01T00:00:00.000Z>'],
      ['2024-02-29T12:30:00.25+02:00', '<2024-02-29T10:30:00.250Z>'],
      ['2024-02-29T24:00:00', '<2024-03-01T00:00:00.000Z>'],
      ['2023-02-29T12:30:00', '<2023-02-29T12:30:00>'],
      ['2024-04-31T00:00:00Z', '<2024-04-31T00:00:00Z>'],
      ['foo T 5 Z', '<foo T 5 Z>'],
    ] as const) {
      assert.equal(await valueIn(`<c r="B2" t="d"><v>${written}</v></c>`), read);
    }
  });

  it('counts rows as the sheet does: blank ones, missing ones, and those before the header', async () => {
    const rows =
      '<row r="1"/><row r="3"><c r="B3" t="inlineStr"><is><t>SKU</t></is></c><c r="D3" t="inlineStr"><is><t>_x</t></is></c><c r="E3"/></row>' +
      '<row r="4"><c r="B4" s="1"/><c r="D4"/></row><row r="9"><c r="B9"><v>1</v></c></row><row><c><v>5</v></c><c><v>2</v></c></row>' +
      '<row r="12"><c r="B12"><v>3</v></c><c r="F12"><v>4</v></c></row><row r="1048576"/>';
    const read = await readWorkbook(await workbookFile({ rows }), { resolveHeader: () => 1 });
    assert.deepEqual(read.header, ['', 'SKU', '', '_x']);
    assert.deepEqual(read.rows.slice(0, 2), [
      [9, '', '1', '', ''],
      [10, '5', '2', '', ''],
    ]);
    assert.match(String(read.rows[2]?.[1]), /^ROW_FIELD_COUNT: Row 12 has 6 cells, but the header has 4.*Clear/);
  });

  it('finds keys that recur, and cuts chunks', async () => {
    const rows = ['SKU', 'A', 'B', 'A', 'C', 'B'].map(
      (sku, index) => `<row r="${index * 2 + 1}"><c t="str"><v>${sku}</v></c></row>`,
    );
    const workbook = await workbookFile({ rows: rows.join('') });
    const planned = await plan(workbook, { format: 'XLSX', limits: { chunkRows: 2 } });
    assert.deepEqual(duplicates(planned), [
      [3, 7],
      [5, 11],
    ]);
    assert.deepEqual(
      planned.plan.chunks.map(({ firstRow, rowCount }) => [firstRow, rowCount]),
      [
        [2, 2],
        [7, 2],
        [11, 1],
      ],
    );
  });

  it('reads the first sheet that is not hidden, or the one named, whatever its case', async () => {
    const sheet = (text: string): string => sheetXml(`${HEADER}<row><c t="str"><v>${text}</v></c></row>`);
    const workbook = await workbookFile({
      parts: {
        'xl/workbook.xml': workbookXml(['-Hidden', 'Chart', 'Prices', 'Größe']),
        'xl/_rels/workbook.xml.rels': relationships({
          rId1: [`${DOCUMENT}/worksheet`, 'worksheets/a.xml'],
          rId2: [`${DOCUMENT}/chartsheet`, 'chartsheets/b.xml'],
          rId3: [`${DOCUMENT}/worksheet`, '/xl/other/c.xml'],
          rId4: [`${DOCUMENT}/worksheet`, '../d%20d.xml'],
        }),
        'xl/worksheets/a.xml': sheet('hidden'),
        'xl/other/c.xml': sheet('prices'),
        'd d.xml': sheet('sizes'),
      },
    });
    const read = async (name?: string): Promise<unknown> =>
      (await readWorkbook(workbook, name === undefined ? {} : { options: { sheet: name } })).rows[0]?.[1];
    assert.equal(await read(), 'prices');
    assert.equal(await read('GRÖSSE'.replace('SS', 'ß')), 'sizes');
    assert.equal(await read('-hidden'), 'hidden');
  });

  it('reads strict workbooks, prefixed elements, UTF-16, and a workbook somewhere else', async () => {
    const rows = '<x:row><x:c t="str"><x:v>SKU</x:v></x:c></x:row><x:row><x:c t="str"><x:v>ü</x:v></x:c></x:row>';
    const xml = `<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData>${rows}</x:sheetData></x:worksheet>`;
    const workbook = await workbookFile({
      parts: {
        '_rels/.rels': relationships({ rId1: [`${STRICT}/officeDocument`, '/Book/Main.xml'] }),
        'xl/workbook.xml': null,
        'book/main.xml': workbookXml(['One']).replaceAll('workbook', 'x:workbook').replaceAll('sheet ', 'x:sheet '),
        'Book/_rels/Main.xml.rels': relationships({ rId1: [`${STRICT}/worksheet`, 'S.xml'] }),
        'Book/S.xml': Buffer.from(`\ufeff${xml}`, 'utf16le'),
      },
    });
    assert.deepEqual((await readWorkbook(workbook)).rows, [[2, 'ü']]);
  });

  it('unpacks a workbook that is compressed once more', async () => {
    const workbook = await workbookFile({ rows: `${HEADER}<row><c t="str"><v>A</v></c></row>` });
    const read = await readWorkbook(gzipSync(workbook), { gzip: true });
    assert.deepEqual(read.rows, [[2, 'A', '']]);
  });

  it('keeps more shared texts than memory is given to', async () => {
    const count = 60_000;
    const texts = Array.from(
      { length: count },
      (_, index) => `${index % 7 === 0 ? 'ü' : 'u'}${index}${'x'.repeat(150)}`,
    );
    const rows = texts.map((_, index) => `<row><c t="s"><v>${(index * 7_919) % count}</v></c></row>`);
    const workbook = await workbookFile({
      rows: `<row><c t="str"><v>SKU</v></c></row>${rows.join('')}`,
      strings: texts.map((text) => `<si><t>${text}</t></si>`).join(''),
    });
    const read = await readWorkbook(workbook);
    assert.deepEqual(
      read.rows.map(([, text]) => text),
      texts.map((_, index) => texts[(index * 7_919) % count]),
    );
  });
});
