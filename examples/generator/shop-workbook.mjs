/**
 * Writes the export of the German shop as somebody keeps it in a spreadsheet: a title in merged cells, an empty row, the
 * header in row 4, columns without a name, and a row of totals at the end.
 */
import { firstDay, shopRows } from './shop-files.mjs';
import { columnName, workbook } from './workbook.mjs';

const DAY_MS = 86_400_000;
/** The rows above the first row of data. */
const ABOVE = 4;
/** Before this column stands one that is empty. */
const GAP = 5;

/** The workbook as its bytes, with its mistakes as `shopFile` has them. */
export function shopWorkbook(rows = 5_000) {
  const { lines, mistakes } = shopRows('de', rows, cellOf);
  const [header, ...data] = lines;
  const width = header.length + 2;
  const spread = (cells) => [...cells.slice(0, GAP), null, ...cells.slice(GAP), null];
  const price = header.indexOf('Preis');
  const sum = data.reduce((total, cells) => total + (typeof cells[price] === 'number' ? cells[price] : 0), 0);
  const totals = header.map((_, index) =>
    index === 0 ? 'Summe' : index === price ? Math.round(sum * 100) / 100 : null,
  );
  const sheet = [
    ['Artikelstamm Fahrräder'],
    ['Stand: November 2026'],
    [],
    spread(header),
    ...data.map(spread),
    spread(totals),
  ];
  const merged = [`A1:${columnName(width - 1)}1`, 'A2:D2'];
  return {
    name: 'shop.xlsx',
    bytes: workbook('Artikel', sheet, merged),
    lines: sheet,
    mistakes: mistakes.map((mistake) => ({ ...mistake, row: mistake.row + ABOVE - 1 })),
  };
}

/** A cell of a spreadsheet has a type, and its unit is in nobody's cell. */
function cellOf(value, shop) {
  if (typeof value === 'string') return value;
  if ('money' in value) return value.money;
  if ('flag' in value) return shop.words[value.flag ? 0 : 1];
  if ('day' in value) return new Date(firstDay + value.day * DAY_MS);
  return value.measure;
}
