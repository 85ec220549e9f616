/** Finds the merged cells of one row of a sheet. Its XML has them behind all rows. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { MAX_SHEET_COLUMNS, type MergedCells } from '../cell.js';
import { cellPosition, ROWS_RANGE } from './cell-name.js';
import { xmlBytes } from './xml-bytes.js';

/** In texts, `<` is written in another way. */
export const MERGED = /<(?:\w+:)?mergeCell\s[^<>]*?\bref\s*=\s*["']([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})["']/g;
/** An element is no longer. */
const MOST_CARRIED = 1_000;

/**
 * The cells of several columns that begin in the row.
 * @param sheet the part of the sheet
 */
export async function readMergedCells(
  sheet: AsyncIterable<Buffer>,
  row: number,
  pacer: EventLoopPacer,
): Promise<readonly MergedCells[]> {
  const found: MergedCells[] = [];
  let carried = '';
  for await (const text of xmlBytes(sheet)) {
    const piece = carried + text;
    for (const [, first = '', last = ''] of piece.includes('mergeCell') ? piece.matchAll(MERGED) : []) {
      const begin = cellPosition(first);
      const from = Math.floor(begin / ROWS_RANGE);
      const to = Math.floor(cellPosition(last) / ROWS_RANGE);
      if (begin % ROWS_RANGE === row && from < to && found.length < MAX_SHEET_COLUMNS) found.push({ from, to });
    }
    const open = piece.lastIndexOf('<');
    carried = open < 0 ? '' : piece.slice(Math.max(open, piece.length - MOST_CARRIED));
    await pacer.pause();
  }
  return found;
}
