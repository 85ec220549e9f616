/** Writes a workbook of one sheet as a stream, at constant memory and with the same bytes for the same cells. */
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import type { Cell, StyledCell } from './cell.js';
import { CellStyles, STYLE } from './cell-styles.js';
import type { Comment } from './write/comments.js';
import { DOCUMENT, SPREADSHEET_ML } from './write/package-xml.js';
import { columnStyle, columnsXml, listColumns, titleStyle, validationsXml } from './write/sheet-columns.js';
import { SheetRowWriter } from './write/sheet-row-writer.js';
import { acceptedSheetName, sheetPath, workbookParts } from './write/workbook-parts.js';
import type { XlsxColumn } from './xlsx-column.js';

const BUFFERED_BYTES = 256 * 1024;
/** A fixed time, so that a file's bytes do not depend on the clock. It is in local time, as archives store it. */
const FIXED_TIME = new Date(1980, 0, 1);
/** Twice as fast as the usual 6, for a file that is a tenth larger. */
const COMPRESSION_LEVEL = 3;
/** Name of the hidden sheet with the lists to choose from. */
const LISTS = 'Lists';

export interface XlsxOptions {
  readonly sheetName: string;
  /** The first row, which stays in view: titles, or columns with formats and choices. */
  readonly header: readonly (string | XlsxColumn)[];
  /** Rows above the header, which stay in view as well. */
  readonly above?: readonly (readonly (Cell | StyledCell)[])[];
  /** Whether rows may have cells with formats and faults of their own. */
  readonly styled?: boolean;
}

interface XlsxWriter {
  /**
   * Resolves when the next rows can be written. Any number of rows may be passed at once; some hundred are best.
   * @throws SpreadsheetLimitExceeded for rows that no spreadsheet holds; the file cannot be finished then.
   * @throws what the sink failed with.
   */
  write(rows: readonly (readonly (Cell | StyledCell)[])[]): Promise<void>;
  /** Finishes the file and the sink. @throws what the sink failed with. */
  end(): Promise<void>;
}

/** Writes a workbook into a stream, which `end` ends. Destroy the sink to abandon an unfinished file. */
export function createXlsxWriter(sink: Writable, options: XlsxOptions): XlsxWriter {
  const { sheetName, header, styled = false, above = [] } = options;
  const columns = header.map((column): XlsxColumn => (typeof column === 'string' ? { title: column } : column));
  const zip = new ZipFile();
  const sheet = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  const done = pipeline(zip.outputStream, sink);
  // The next write, or end, reports a failure.
  done.catch((error: unknown) => sheet.destroy(error instanceof Error ? error : new Error(String(error))));
  sheet.on('error', () => undefined);
  const name = acceptedSheetName(sheetName);
  const lists = listColumns(columns);
  const listsName = name.toLowerCase() === LISTS.toLowerCase() ? `${LISTS} 2` : LISTS;
  const sheets = lists.length === 0 ? [{ name }] : [{ name }, { name: listsName, hidden: true }];
  const cellStyles = new CellStyles();
  const addParts = (comments: readonly Comment[] = []): void => {
    for (const [path, xml] of workbookParts(sheets, cellStyles, comments)) zip.addBuffer(Buffer.from(xml), path, ENTRY);
  };
  // Formats and comments are known only after the last row.
  if (!styled) addParts();
  if (lists.length > 0) zip.addReadStream(Readable.from(listSheet(lists)), sheetPath(1), ENTRY);
  zip.addReadStream(sheet, sheetPath(0), ENTRY);

  const titles = columns.map(({ title }) => title);
  const rowWriter = new SheetRowWriter(titles, cellStyles);
  // A text in a column of dates is not a date.
  const styles = columns.map((column) => (column.format === 'text' ? columnStyle(column) : STYLE.general));
  const titleRows = above.map((cells) => rowWriter.xmlOf(cells, [])).join('');
  let pending = sheetHead(columns, above.length + 1) + titleRows + rowWriter.xmlOf(titles, columns.map(titleStyle));

  async function flush(): Promise<void> {
    const piece = pending;
    pending = '';
    if (sheet.destroyed) return done;
    if (!sheet.write(piece)) await Promise.race([once(sheet, 'drain'), done]);
    await yieldToEventLoop();
  }

  return {
    write: async (rows) => {
      for (const cells of rows) {
        pending += rowWriter.xmlOf(cells, styles);
        if (pending.length >= PIECE_CHARACTERS) await flush();
      }
    },
    end: async () => {
      const { comments } = rowWriter;
      const notes = comments.length > 0 ? `<legacyDrawing xmlns:r="${DOCUMENT}" r:id="rId1"/>` : '';
      pending += `</sheetData>${validationsXml(columns, listsName)}${notes}</worksheet>`;
      await flush();
      sheet.end();
      if (styled) addParts(comments);
      zip.end();
      await done;
    },
  };
}
const ENTRY = { mtime: FIXED_TIME, forceDosTimestamp: true, mode: 0o100644, compressionLevel: COMPRESSION_LEVEL };

/** The sheet up to its first row: the header stays in view, and columns have widths and formats. */
function sheetHead(columns: readonly XlsxColumn[], headerRow: number): string {
  const view =
    `<sheetViews><sheetView workbookViewId="0"><pane ySplit="${headerRow}" topLeftCell="A${headerRow + 1}" activePane="bottomLeft" state="frozen"/>` +
    '</sheetView></sheetViews>';
  return `${SHEET_OPENING}${view}${columnsXml(columns)}<sheetData>`;
}

/** Characters of XML that are written at once: few writes to the streams, and little memory. */
const PIECE_CHARACTERS = 128 * 1024;

const SHEET_OPENING = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${SPREADSHEET_ML}">`;

/** The hidden sheet of choices, in pieces: there may be ten thousand in each of a thousand lists. */
async function* listSheet(lists: ReturnType<typeof listColumns>): AsyncGenerator<Buffer> {
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
