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

/** A file whose first rows are these, above rows of codes, names, amounts and counts. */
function csvOf(first: string, second: string, kinds: string): string {
  const cellOf = (kind: string, row: number, column: number): string => {
    const cells: Record<string, string> = {
      c: `A-${1000 + row}`,
      t: `Tent ${row}`,
      d: `${row + 10 * column},${10 + row}`,
      n: `${row * (column + 1)}`,
    };
    return cells[kind] ?? '';
  };
  const rows = Array.from({ length: 40 }, (_, row) => [...kinds].map((kind, at) => cellOf(kind, row, at)).join(';'));
  return `${[first, second, ...rows].join('\n')}\n`;
}

describe('a header in two rows', () => {
  for (const [what, first, second, kinds] of [
    ['names that stand once', ';Price;Price;Stock;Stock', 'SKU;net;gross;min;max', 'cddnn'],
    ['words that are names of columns themselves', 'Price;Price;Stock;Stock', 'net;gross;min;max', 'ddnn'],
    ['names of texts', 'Item;Item;Price;Price', 'SKU;Name;net;gross', 'ctdd'],
    ['names that only both rows make different', 'EU;EU;US;US', 'net;gross;net;gross', 'dddd'],
    ['columns of no group, which both rows name', 'SKU;Price;Price;Stock', 'SKU;net;gross;Stock', 'cddn'],
  ] as const) {
    it(`is certain where each column has a name below that of its group: ${what}`, async () => {
      const { format, rows } = await inspect(csvOf(first, second, kinds));
      assert.deepEqual(
        [format.headerRow.value, format.headerRow.verdict, rows],
        [2, 'certain', 40],
        format.headerRow.reason,
      );
      assert.match(format.headerRow.reason, /Row 1 names the groups of these columns: /);
    });
  }

  for (const [what, first, second, kinds] of [
    ['lacks names', 'Price;Price;Stock', 'net;gross;', 'ddn'],
    ['lacks names of other columns', 'SKU;Price;Price;Stock', ';net;gross;', 'cddn'],
    ['stands below names with gaps', 'SKU;Price;;Stock', ';net;gross;', 'cddn'],
  ] as const) {
    it(`is likely at best where the second row ${what}, which is read as data`, async () => {
      const { format } = await inspect(csvOf(first, second, kinds));
      assert.deepEqual([format.headerRow.value, format.headerRow.verdict], [1, 'likely'], format.headerRow.reason);
      assert.match(format.headerRow.reason, /Row 2 names parts of some of them, and is read as a row of data/);
    });
  }

  it('names the columns by both rows where the lower one alone does not tell them apart', async () => {
    const { columns, format } = await inspect(csvOf(';Price;;List;', 'SKU;net;gross;net;gross', 'cdddd'));
    assert.deepEqual(
      columns.map(({ name, isRepeated, isBlank }) => [name, isRepeated, isBlank]),
      ['SKU', 'Price – net', 'Price – gross', 'List – net', 'List – gross'].map((name) => [name, false, false]),
    );
    assert.deepEqual([format.headerRow.value, format.headerRow.verdict, format.headerRows], [2, 'certain', 2]);
    assert.match(
      format.headerRow.reason,
      /Only with row 1, which names their groups, does each have a name of its own: "Price", "List"/,
    );
    assert.deepEqual(format.titleLines, [';Price;;List;']);
  });

  it('has names that stand in the upper row alone, where it is said that the lower row is the header', async () => {
    const file = csvOf('SKU;Price;;Stock', ';net;gross;', 'cddn');
    const asked = await inspect(file, {}, { headerRow: 2 });
    assert.deepEqual(
      asked.columns.map(({ name }) => name),
      ['SKU', 'Price – net', 'Price – gross', 'Stock'],
    );
    assert.equal(asked.format.headerRows, 2);
    const { format } = await inspect(file);
    assert.deepEqual([format.headerRow.value, format.headerRow.rivals], [1, [2]], 'the other reading is offered');
  });

  for (const [what, first, second] of [
    ['a title above names of which one is repeated', 'Price list 2026;;;', 'SKU;net;net;Stock'],
    ['a title above names of which one is missing', 'Price list;;;', 'SKU;net;;Stock'],
    ['names of groups that do not tell the columns apart', ';Price;;Stock', 'SKU;net;net;min'],
    ['names of groups of columns that have names of their own', ';Price;;Stock', 'SKU;net;gross;min'],
  ] as const) {
    it(`has one row of names below ${what}`, async () => {
      const { columns, format } = await inspect(csvOf(first, second, 'cddn'));
      assert.equal(format.headerRows, 1);
      assert.deepEqual(
        columns.filter(({ name }) => name.includes('–')),
        [],
      );
    });
  }

  it('is none where the second row says something else of each column, such as its unit', async () => {
    const { format } = await inspect(csvOf('SKU;Price;Price;Stock', 'Text;EUR;USD;pcs', 'cddn'));
    assert.ok(format.headerRow.value === 1 || format.headerRow.verdict !== 'certain', JSON.stringify(format.headerRow));
    const same = await inspect(csvOf('Price;Price;Stock;Stock', 'EUR;EUR;pcs;pcs', 'ddnn'));
    assert.notEqual(same.format.headerRow.verdict, 'certain');
  });
});

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
