/** A spreadsheet with a title, a hidden row, a hidden column and merged cells: what an import reads of it, nobody sees who opens it. */
import { odsFile, odsRow } from './ods-file.js';

/** What is told of it: its rows are those of the sheet, below the title. */
export const HIDDEN_CELLS_NOTES = [
  'Row 6 is hidden: hidden rows are imported like the others.',
  'Hidden columns are read like the others: C ("Supplier").',
  'Cells are merged in row 8: the value is in the first cell of each area, and the others are empty.',
];

export function hiddenCellsFile(): Promise<Buffer> {
  const column = (state: string) => `<table:table-column${state}/>`;
  const body = Array.from({ length: 6 }, (_, n) => {
    const row = odsRow(`A-${n}`, `Tent ${n}`, `ACME ${n}`);
    if (n === 2) return row.replace('<table:table-row', '<table:table-row table:visibility="filter"');
    return n === 4 ? row.replace('<table:table-cell', '<table:table-cell table:number-rows-spanned="2"') : row;
  });
  const columns = `${column(' table:number-columns-repeated="2"')}${column(' table:visibility="collapse"')}`;
  const rows = [odsRow('Tents 2026'), odsRow(''), odsRow('SKU', 'Product', 'Supplier'), ...body];
  return odsFile({ sheets: `<table:table table:name="Tents">${columns}${rows.join('')}</table:table>` });
}
