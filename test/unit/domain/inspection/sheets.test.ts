/** Inspections of workbooks with several sheets: which one was read is said, and another one that may be meant is named. */
import assert from 'node:assert/strict';
import { odsFile, odsRow } from '../../../support/models/ods-file.js';
import { relationships, workbookFile, workbookXml } from '../../../support/models/workbook-file.js';
import { proposalFor } from '../proposals/propose-fixture.js';
import { inspect } from './inspect-fixture.js';

type Sheets = Readonly<Record<string, readonly (readonly string[])[]>>;

const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const HIDING =
  '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>';
const ITEMS = [
  ['Artikelnummer', 'Bezeichnung', 'Bestand'],
  ['A-1', 'Zelt', '4'],
  ['A-2', 'Plane', '7'],
];

/** Names that begin with `-` are hidden. */
const FORMATS: Readonly<Record<'ODS' | 'XLSX', (sheets: Sheets) => Promise<Buffer>>> = {
  ODS: (sheets) => {
    const tables = Object.entries(sheets).map(([name, rows]) => {
      const style = name.startsWith('-') ? ' table:style-name="ta1"' : '';
      return `<table:table table:name="${name}"${style}>${rows.map((cells) => odsRow(...cells)).join('')}</table:table>`;
    });
    return odsFile({ sheets: tables.join(''), styles: HIDING });
  },
  XLSX: (sheets) => {
    const names = Object.keys(sheets);
    const parts: Record<string, string> = {
      'xl/workbook.xml': workbookXml(names),
      'xl/_rels/workbook.xml.rels': relationships(
        Object.fromEntries(
          names.map((_, at) => [`rId${at + 1}`, [`${DOCUMENT}/worksheet`, `worksheets/sheet${at + 1}.xml`] as const]),
        ),
      ),
    };
    for (const [at, rows] of Object.values(sheets).entries()) {
      const cell = (text: string) => (text === '' ? '<c/>' : `<c t="inlineStr"><is><t>${text}</t></is></c>`);
      const data = rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('');
      parts[`xl/worksheets/sheet${at + 1}.xml`] =
        `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`;
    }
    return workbookFile({ parts });
  },
};

for (const format of ['ODS', 'XLSX'] as const) {
  describe(`the sheets of a workbook in ${format}`, () => {
    const read = async (sheets: Sheets, sheet?: string) =>
      inspect(await FORMATS[format](sheets), { format, options: { sheet } });

    it('are all listed, with their rows and which of them are hidden', async () => {
      const { format: found } = await read({ Artikel: ITEMS, '-Listen': [['a', 'b']], Leer: [] });
      assert.deepEqual(found.sheets, [
        { name: 'Artikel', hidden: false, rows: 3 },
        { name: '-Listen', hidden: true, rows: 1 },
        { name: 'Leer', hidden: false, rows: 0 },
      ]);
      assert.equal(found.sheet, 'Artikel');
      assert.deepEqual([found.sheetChoice?.value, found.sheetChoice?.verdict], ['Artikel', 'certain']);
    });

    it('are a question when the first is a cover, and the second has the data', async () => {
      const sheets = { Deckblatt: [['Preisliste 2026'], ['Stand: Mai']], Artikel: ITEMS };
      const { format: found } = await read(sheets);
      assert.equal(found.sheet, 'Deckblatt');
      assert.deepEqual([found.sheetChoice?.verdict, found.sheetChoice?.rivals], ['ambiguous', ['Artikel']]);
      assert.match(
        found.sheetChoice?.reason ?? '',
        /"Deckblatt" was read.*2 rows of 1 column.*"Artikel" has 3 rows of 3/,
      );
      const { profile } = await proposalFor(await FORMATS[format](sheets), {}, { format });
      const asked = profile.undecided?.find(({ about }) => about === 'sheet');
      assert.deepEqual(
        asked?.readings.map(({ value, format: change }) => [value, change]),
        [
          ['Deckblatt', { sheet: 'Deckblatt' }],
          ['Artikel', { sheet: 'Artikel' }],
        ],
      );
    });

    it('are passed over when they are empty, and the profile names the one that was read', async () => {
      const sheets = { Leer: [], Artikel: ITEMS };
      const { format: found, rows } = await read(sheets);
      assert.deepEqual([found.sheet, rows], ['Artikel', 2]);
      assert.match(found.sheetChoice?.reason ?? '', /"Artikel" is the only sheet with a table/);
      const { profile, questions } = await proposalFor(await FORMATS[format](sheets), {}, { format });
      assert.equal(profile.format.sheet, 'Artikel');
      assert.deepEqual(
        questions.filter(({ question }) => /sheet/.test(question)),
        [],
      );
    });

    it('may be several tables of one size, of which a person chooses', async () => {
      const prices = ITEMS.map(([key = ''], row) => [key, row === 0 ? 'Preis' : '12', row === 0 ? 'Ab' : '2026-01-01']);
      const { format: found } = await read({ Artikel: ITEMS, Preise: prices });
      assert.deepEqual([found.sheet, found.sheetChoice?.verdict], ['Artikel', 'ambiguous']);
      const smaller = await read({
        Artikel: ITEMS,
        Legende: [
          ['Wort', 'Sinn'],
          ['Bestand', 'Stück'],
        ],
      });
      assert.deepEqual(
        [smaller.format.sheetChoice?.verdict, smaller.format.sheetChoice?.rivals],
        ['likely', ['Legende']],
      );
    });

    it('are no question when one was asked for', async () => {
      const { format: found } = await read({ Deckblatt: [['Preisliste']], Artikel: ITEMS }, 'artikel');
      assert.deepEqual(
        [found.sheet, found.sheetChoice?.value, found.sheetChoice?.verdict],
        ['Artikel', 'Artikel', 'certain'],
      );
    });
  });
}
