/** The hidden sheet of choices. */
import { yieldToEventLoop } from '../../../../platform/time-slice.js';
import { CellStyles } from '../cell-styles.js';
import { SPREADSHEET_ML } from './package-xml.js';
import type { listColumns } from './sheet-columns.js';
import { SheetRowWriter } from './sheet-row-writer.js';

/** Characters of XML that are written at once: few writes to the streams, and little memory. */
export const PIECE_CHARACTERS = 128 * 1024;

export const SHEET_OPENING = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${SPREADSHEET_ML}">`;

/** The hidden sheet of choices, in pieces: there may be ten thousand in each of a thousand lists. */
export async function* listSheet(lists: ReturnType<typeof listColumns>): AsyncGenerator<Buffer> {
  const writer = new SheetRowWriter([], new CellStyles());
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  let pending = `${SHEET_OPENING}<sheetData>`;
  for (let row = 0; row < longest; row++) {
    pending += writer.xmlOf(
      lists.map((list) => list[row] ?? null),
      [],
    );
    await yieldToEventLoop();
    if (pending.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(pending);
    pending = '';
  }
  yield Buffer.from(`${pending}</sheetData></worksheet>`);
}
