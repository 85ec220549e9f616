/** Counts the rows at the end of a table that are no data: totals and notes. */
import type { TableRow } from '../../formats/table/table.js';
import type { ColumnFacts } from '../columns/column-facts.js';

const TOTAL =
  /^[\s*=:>-]*(?:(?:gesamt|grand|sub|zwischen)?[\s-]*(?:summe|total|totale|totaux|totales|totaal|razem|suma|celkem|spolu|summa|összesen|yhteensä|итого|всего|toplam)|gesamt(?:summe)?|somme|合計|总计|合计|總計)(?!\p{L})/iu;
/** Columns that nearly every row fills. */
const USUALLY_FILLED = 0.9;

/** @param held the last rows @param columns what is known of the rows before them */
export function countLastRows(held: readonly TableRow[], columns: readonly ColumnFacts[]): number {
  let last = 0;
  for (let index = held.length - 1; index >= 0; index -= 1) {
    if (!isNoData(held[index] as TableRow, columns)) break;
    last = held.length - index;
  }
  return last;
}

function isNoData({ cells, problem }: TableRow, columns: readonly ColumnFacts[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  if (filled.length === 0) return true;
  const first = filled[0] as string;
  const isSparse = filled.length <= Math.max(1, columns.length / 2);
  if (TOTAL.test(first.trim()) && (isSparse || cells[0]?.trim() === '')) return true;
  // A note, such as `Exported on 1 April`, is one cell in rows of many.
  if (problem !== null && filled.length === 1 && columns.length > 2) return true;
  const rows = Math.max(0, ...columns.map((column) => column.filled));
  const usual = columns.filter((column) => rows > 0 && column.filled >= rows * USUALLY_FILLED);
  if (usual.length < 3 || columns.length < 3) return false;
  const missing = columns.filter(
    (column, index) => usual.includes(column) && (cells[index] ?? '').trim() === '',
  ).length;
  return filled.length === 1 && missing >= usual.length - 1;
}
