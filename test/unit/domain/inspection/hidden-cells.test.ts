/** Inspections of workbooks of which a person who opens them does not see, or sees as one, what an import reads. */
import assert from 'node:assert/strict';
import { odsFile, odsRow } from '../../../support/models/ods-file.js';
import { workbookFile } from '../../../support/models/workbook-file.js';
import { inspect } from './inspect-fixture.js';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const NAMES = ['Artikelnummer', 'Bezeichnung', 'Einkaufspreis'];

/** @param hidden the rows that are hidden @param merged areas of merged cells */
function xlsx(hidden: readonly number[], columns: string, merged: readonly string[]): Promise<Buffer> {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = Array.from({ length: 30 }, (_, n) => {
    const cells = n === 0 ? NAMES : [`A-${n}`, `Zelt ${n}`, `${n}`];
    const state = hidden.includes(n + 1) ? ' hidden="1"' : '';
    return `<row r="${n + 1}"${state}>${cells.map(cell).join('')}</row>`;
  });
  // A hidden row without cells is none.
  rows.push('<row r="31" hidden="1"/>');
  const areas = merged.map((area) => `<mergeCell ref="${area}"/>`).join('');
  const sheet = `<worksheet xmlns="${MAIN}"><cols>${columns}</cols><sheetData>${rows.join('')}</sheetData><mergeCells>${areas}</mergeCells></worksheet>`;
  return workbookFile({ parts: { 'xl/worksheets/sheet1.xml': sheet } });
}

describe('an inspection of a workbook', () => {
  it('tells hidden rows and columns and merged cells among the data, and reads them as an import does', async () => {
    const file = await xlsx([7, 12], '<col min="3" max="3" hidden="1"/><col min="9" max="12" hidden="true"/>', [
      'B5:B9',
    ]);
    const { format, rows, columns } = await inspect(file, { format: 'XLSX' });
    assert.deepEqual(format.notes, [
      '2 rows are hidden, the first is row 7: hidden rows are imported like the others.',
      'Hidden columns are read like the others: C ("Einkaufspreis").',
      'Cells are merged in row 5: the value is in the first cell of each area, and the others are empty.',
    ]);
    assert.deepEqual([rows, columns.map(({ name }) => name)], [29, NAMES]);
  });

  it('has nothing to tell of a sheet without them, or whose titles alone are merged', async () => {
    for (const merged of [[], ['A1:C1']]) {
      const { format } = await inspect(await xlsx([], '<col min="1" max="3" width="12"/>', merged), { format: 'XLSX' });
      assert.deepEqual(format.notes, []);
    }
    assert.deepEqual((await inspect('sku;name\nA1;Zelt\nA2;Plane\n')).format.notes, []);
  });

  it('tells the same of an OpenDocument spreadsheet', async () => {
    const column = (state: string) => `<table:table-column${state}/>`;
    const body = Array.from({ length: 6 }, (_, n) => {
      const row = odsRow(`A-${n}`, `Zelt ${n}`, `${n}`);
      if (n === 2) return row.replace('<table:table-row', '<table:table-row table:visibility="filter"');
      return n === 4 ? row.replace('<table:table-cell', '<table:table-cell table:number-rows-spanned="2"') : row;
    });
    const columns = `${column(' table:number-columns-repeated="2"')}${column(' table:visibility="collapse"')}`;
    const sheets = `<table:table table:name="Artikel">${columns}${odsRow(...NAMES)}${body.join('')}</table:table>`;
    const { format } = await inspect(await odsFile({ sheets }), { format: 'ODS' });
    assert.deepEqual(format.notes, [
      'Row 4 is hidden: hidden rows are imported like the others.',
      'Hidden columns are read like the others: C ("Einkaufspreis").',
      'Cells are merged in row 6: the value is in the first cell of each area, and the others are empty.',
    ]);
  });
});
