/** Headers of two rows: the upper one names groups of columns. */
import assert from 'node:assert/strict';
import { odsFile } from '../../../../support/models/ods-file.js';
import { sheetXml, workbookFile } from '../../../../support/models/workbook-file.js';
import { readTable, shownRows } from './table-fixture.js';

const TWO = { headerRow: 2, headerRows: 2 };
const FORM = { format: 'CSV' as const };

async function namesOf(upper: string, lower: string): Promise<readonly string[]> {
  const cells = lower.replace(/[^;]+/g, 'x');
  return (await readTable(`${upper}\n${lower}\n${cells}\n`, { ...TWO, delimiter: ';' }, FORM)).names;
}

describe('a header of two rows', () => {
  it('has the names of both, and its rows keep their numbers', async () => {
    const table = await readTable(
      'Maße;;Preis;\nBreite;Höhe;Netto;Brutto\n1;2;3;4\n',
      { ...TWO, delimiter: ';' },
      FORM,
    );
    assert.deepEqual(table.names, ['Maße – Breite', 'Maße – Höhe', 'Preis – Netto', 'Preis – Brutto']);
    assert.deepEqual(table.header, ['Breite', 'Höhe', 'Netto', 'Brutto']);
    assert.deepEqual(table.titleLines, ['Maße;;Preis;']);
    assert.deepEqual(shownRows(table), [[3, '1', '2', '3', '4']]);
  });

  for (const [what, upper, lower, names] of [
    [
      'names that stand in the upper row alone',
      'SKU;Preis;;Lager',
      ';Netto;Brutto;',
      'SKU,Preis – Netto,Preis – Brutto,Lager',
    ],
    [
      'a name in the upper row, which begins no group',
      'SKU;;Preis;',
      ';Name;Netto;Brutto',
      'SKU,Name,Preis – Netto,Preis – Brutto',
    ],
    [
      'the same name in both rows, which ends a group',
      'EU;;Lager',
      'Netto;Brutto;lager',
      'EU – Netto,EU – Brutto,lager',
    ],
    [
      'a group that is repeated over its columns',
      'EU;EU;US;US',
      'Netto;Brutto;Netto;Brutto',
      'EU – Netto,EU – Brutto,US – Netto,US – Brutto',
    ],
    ['columns before the first group', ';;Preis;', 'SKU;Name;Netto;Brutto', 'SKU,Name,Preis – Netto,Preis – Brutto'],
    [
      'columns with the same name in one group',
      'Preis;;',
      'Netto;Netto;Netto',
      'Preis – Netto,Preis – Netto (2),Preis – Netto (3)',
    ],
    ['columns without any name', 'Preis;;;', 'Netto;Brutto;;', 'Preis – Netto,Preis – Brutto,Column 3,Column 4'],
    ['what an error file has added', 'Preis;;', 'Netto;Brutto;_row', 'Preis – Netto,Preis – Brutto,_row'],
    ['a cell in quotes', '"Preis; EUR";', 'Netto;Brutto', 'Preis; EUR – Netto,Preis; EUR – Brutto'],
    ['an upper row that is blank', '', 'Netto;Brutto', 'Netto,Brutto'],
  ] as const) {
    it(`has ${what}`, async () => {
      assert.deepEqual((await namesOf(upper, lower)).join(','), names);
    });
  }

  it('has one row where the profile says no more, and the row above it is a title', async () => {
    const table = await readTable('Preis;\nNetto;Netto\n1;2\n', { headerRow: 2, delimiter: ';' }, FORM);
    assert.deepEqual(table.names, ['Netto', 'Netto (2)']);
    assert.equal(table.groups, undefined);
  });
});

/** A row of inline texts; empty ones are left out. */
function row(number: number, ...texts: string[]): string {
  const cells = texts.map((text, index) =>
    text === '' ? '' : `<c r="${'ABCDEF'.charAt(index)}${number}" t="inlineStr"><is><t>${text}</t></is></c>`,
  );
  return `<row r="${number}">${cells.join('')}</row>`;
}

const UPPER = ['', 'Preis', '', 'Lager', ''];
const LOWER = ['SKU', 'Netto', 'Brutto', '', 'Farbe'];

describe('the merged cells of a header of two rows', () => {
  const rows = row(1, ...UPPER) + row(2, ...LOWER) + row(3, 'a', '1', '2', '3', 'rot');
  const read = async (merged: string) => {
    const sheet = sheetXml(rows).replace('</sheetData>', `</sheetData>${merged}`);
    return readTable(await workbookFile({ parts: { 'xl/worksheets/sheet1.xml': sheet } }), TWO, { format: 'XLSX' });
  };

  it('say in a workbook where a group ends', async () => {
    const areas = ['A1:A1', 'B1:C1', 'D1:D2', 'B2:C2', 'A9:C9'].map((ref) => `<mergeCell ref="${ref}"/>`).join('');
    const table = await read(`<mergeCells count="5">${areas}</mergeCells>`);
    assert.deepEqual(table.names, ['SKU', 'Preis – Netto', 'Preis – Brutto', 'Lager', 'Farbe']);
    assert.deepEqual(table.groups, ['', 'Preis', 'Preis', 'Lager', '']);
    assert.deepEqual(shownRows(table), [[3, 'a', '1', '2', '3', 'rot']]);
  });

  it('are written with a prefix by some programs', async () => {
    const table = await read("<x:mergeCells xmlns:x='urn:x'><x:mergeCell  other='' ref='B1:E1' /></x:mergeCells>");
    assert.deepEqual(table.names, ['SKU', 'Preis – Netto', 'Preis – Brutto', 'Preis', 'Preis – Farbe']);
  });

  it('need not be there: an empty cell belongs to the group on its left', async () => {
    const table = await read('');
    assert.deepEqual(table.names, ['SKU', 'Preis – Netto', 'Preis – Brutto', 'Lager', 'Farbe']);
    const last = row(1, '', 'Preis') + row(2, 'SKU', 'Netto', 'Brutto', 'Farbe') + row(3, 'a', '1', '2', 'rot');
    const carried = await readTable(await workbookFile({ rows: last }), TWO, { format: 'XLSX' });
    assert.deepEqual(carried.names, ['SKU', 'Preis – Netto', 'Preis – Brutto', 'Preis – Farbe']);
  });

  it('say in an OpenDocument sheet where a group ends', async () => {
    const cell = (text: string, attributes = '') =>
      `<table:table-cell office:value-type="string" ${attributes}><text:p>${text}</text:p></table:table-cell>`;
    const covered = '<table:covered-table-cell/>';
    const wide = 'table:number-columns-spanned="2" table:number-rows-spanned="1"';
    const line = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
    const sheet =
      line('<table:table-cell/>', cell('Preis', wide), covered, '<table:table-cell/>') +
      line(cell('SKU'), cell('Netto'), cell('Brutto'), cell('Farbe')) +
      line(cell('a'), cell('1'), cell('2'), cell('rot'));
    const table = await readTable(await odsFile({ rows: sheet }), TWO, { format: 'ODS' });
    assert.deepEqual(table.names, ['SKU', 'Preis – Netto', 'Preis – Brutto', 'Farbe']);
  });
});
