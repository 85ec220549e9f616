/** Inspections of workbooks with merged names of groups beside the names of their columns. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from './inspect-fixture.js';

type Rows = readonly (readonly (string | number | null)[])[];

const NAMES = ['Artikelnummer', 'Bezeichnung', 'Kategorie', 'Bestand', 'Netto', 'Brutto', 'Aktiv'];
const GROUPS = ['Stammdaten', null, null, null, 'Preise', null, 'Sonstiges'];
const DATA: Rows = Array.from({ length: 30 }, (_, row) => [
  ...[`A-${1000 + row}`, `Zelt ${row}`, 'Camping > Zelte', row % 7],
  ...[10.25 + row, 12.5 + row, row % 2 === 0 ? 'ja' : 'nein'],
]);

async function inspected(rows: Rows, merged: readonly string[]) {
  const { workbook } = await import(pathToFileURL(resolve('examples/generator/workbook.mjs')).href);
  return inspect(workbook('Artikel', rows, merged), { format: 'XLSX' });
}

describe('a workbook with merged names of groups', () => {
  for (const [where, titles] of [
    ['in its first row', []],
    ['below a title', [['Preisliste 2026'], []]],
  ] as const) {
    it(`above the names of the columns, ${where}, is read with these names`, async () => {
      const row = titles.length + 1;
      const merged = [`A${row}:D${row}`, `E${row}:F${row}`, ...(row > 1 ? ['A1:G1'] : [])];
      const found = await inspected([...titles, GROUPS, NAMES, ...DATA], merged);
      assert.deepEqual([found.format.headerRow.value, found.format.headerRow.verdict], [row + 1, 'certain']);
      assert.deepEqual(
        found.columns.map(({ name }) => name),
        NAMES,
      );
      assert.equal(found.rows, DATA.length);
      assert.deepEqual(
        found.columns.map(({ type }) => type.value),
        ['text', 'text', 'text', 'integer', 'decimal', 'decimal', 'boolean'],
      );
      assert.equal(found.format.titleLines.at(-1), 'Stammdaten\t\t\t\tPreise\t\tSonstiges');
    });
  }

  it('whose parts are named in a second row is never certain of its header, and says what that row is', async () => {
    const first = ['Artikelnummer', 'Bezeichnung', 'Kategorie', 'Bestand', 'Preise', null, 'Aktiv'];
    const second = [null, null, null, null, 'Netto', 'Brutto', null];
    const merged = ['A1:A2', 'B1:B2', 'C1:C2', 'D1:D2', 'E1:F1', 'G1:G2'];
    const { format } = await inspected([first, second, ...DATA], merged);
    assert.deepEqual([format.headerRow.value, format.headerRow.verdict], [1, 'likely']);
    assert.match(
      format.headerRow.reason,
      /Row 2 names parts of some of them, and is read as a row of data: "Netto", "Brutto"/,
    );
    const gaps = await inspected(
      [first, ...DATA.map((row) => row.map((cell, at) => (at === 5 ? null : cell)))],
      ['E1:F1'],
    );
    assert.equal(gaps.format.headerRow.verdict, 'certain', 'a column without a name is no group');
  });
});
