/** Writes a workbook of one sheet as a stream, at constant memory and with the same bytes for the same cells. */
import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { breathe } from '../../../platform/time-slice.js';
import type { Cell } from './cell.js';
import { STYLE } from './cell-styles.js';
import {
  columnStyle,
  columnsXml,
  listColumns,
  listRows,
  titleStyle,
  validationsXml,
  type XlsxColumn,
} from './sheet-columns.js';
import { SheetRowWriter } from './sheet-row-writer.js';
import { SPREADSHEET_ML, sheetPath, soundSheetName, workbookParts } from './workbook-parts.js';

/** Characters of XML that are handed on at once: few steps through the streams, and little held in memory. */
const PIECE_CHARACTERS = 128 * 1024;
const BUFFERED_BYTES = 256 * 1024;
/** No time of day takes part in a file's bytes. Taken apart in local time, as archives keep it. */
const FIXED_TIME = new Date(1980, 0, 1);
/** Twice as fast as the usual 6, for a file a tenth larger. */
const COMPRESSION_LEVEL = 3;
/** Name of the hidden sheet with the lists to choose from. */
const LISTS = 'Lists';

export interface XlsxOptions {
  readonly sheetName: string;
  /** The first row, which stays in view: titles, or columns with more to say. */
  readonly header: readonly (string | XlsxColumn)[];
}

export interface XlsxWriter {
  /**
   * Resolves when the next rows can be taken. Any number of rows at once; some hundred are best.
   * @throws SpreadsheetLimitExceeded for rows that no spreadsheet holds; the file cannot be finished then.
   * @throws what the sink failed with.
   */
  write(rows: readonly (readonly Cell[])[]): Promise<void>;
  /** Finishes the file and the sink. @throws what the sink failed with. */
  end(): Promise<void>;
}

/** Writes a workbook into a stream, which `end` ends. Give the sink up (destroy it) to leave a file unfinished. */
export function createXlsxWriter(sink: Writable, { sheetName, header }: XlsxOptions): XlsxWriter {
  const columns = header.map((column): XlsxColumn => (typeof column === 'string' ? { title: column } : column));
  const zip = new ZipFile();
  const sheet = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  const done = pipeline(zip.outputStream, sink);
  // A failure is told by the next write, or by end.
  done.catch((error: unknown) => sheet.destroy(error instanceof Error ? error : new Error(String(error))));
  sheet.on('error', () => undefined);
  const name = soundSheetName(sheetName);
  const lists = listColumns(columns);
  const listsName = name.toLowerCase() === LISTS.toLowerCase() ? `${LISTS} 2` : LISTS;
  const sheets = lists.length === 0 ? [{ name }] : [{ name }, { name: listsName, hidden: true }];
  for (const [path, xml] of workbookParts(sheets)) zip.addBuffer(Buffer.from(xml), path, ENTRY);
  if (lists.length > 0) zip.addBuffer(Buffer.from(listSheet(lists)), sheetPath(1), ENTRY);
  zip.addReadStream(sheet, sheetPath(0), ENTRY);

  const titles = columns.map(({ title }) => title);
  const rowWriter = new SheetRowWriter(titles);
  // A text in a column of dates is no date.
  const styles = columns.map((column) => (column.format === 'text' ? columnStyle(column) : STYLE.general));
  let pending = sheetHead(columns) + rowWriter.xmlOf(titles, columns.map(titleStyle));

  async function flush(): Promise<void> {
    const piece = pending;
    pending = '';
    if (sheet.destroyed) return done;
    if (!sheet.write(piece)) await Promise.race([once(sheet, 'drain'), done]);
    await breathe();
  }

  return {
    write: async (rows) => {
      for (const cells of rows) {
        pending += rowWriter.xmlOf(cells, styles);
        if (pending.length >= PIECE_CHARACTERS) await flush();
      }
    },
    end: async () => {
      pending += `</sheetData>${validationsXml(columns, listsName)}</worksheet>`;
      await flush();
      sheet.end();
      zip.end();
      await done;
    },
  };
}

const SHEET_OPENING = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${SPREADSHEET_ML}">`;
const ENTRY = { mtime: FIXED_TIME, forceDosTimestamp: true, mode: 0o100644, compressionLevel: COMPRESSION_LEVEL };

/** The sheet up to its first row: the header stays in view, and columns have widths and formats. */
function sheetHead(columns: readonly XlsxColumn[]): string {
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '</sheetView></sheetViews>';
  return `${SHEET_OPENING}${view}${columnsXml(columns)}<sheetData>`;
}

/** The hidden sheet of choices, as a whole. */
function listSheet(lists: ReturnType<typeof listColumns>): string {
  const writer = new SheetRowWriter([]);
  const rows = listRows(lists).map((cells) => writer.xmlOf(cells, []));
  return `${SHEET_OPENING}<sheetData>${rows.join('')}</sheetData></worksheet>`;
}
