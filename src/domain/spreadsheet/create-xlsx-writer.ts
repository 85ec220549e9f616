/** Writes a workbook of one sheet as a stream, at constant memory and with the same bytes for the same cells. */
import { once } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { breathe } from '../../platform/time-slice.js';
import type { Cell } from './cell.js';
import { STYLE } from './cell-styles.js';
import { SheetRowWriter } from './sheet-row-writer.js';
import { SPREADSHEET_ML, sheetPath, soundSheetName, workbookParts } from './workbook-parts.js';

/** Characters of XML that are handed on at once: few steps through the streams, and little held in memory. */
const PIECE_CHARACTERS = 128 * 1024;
const BUFFERED_BYTES = 256 * 1024;
/** No time of day takes part in a file's bytes. Taken apart in local time, as archives keep it. */
const FIXED_TIME = new Date(1980, 0, 1);
/** Twice as fast as the usual 6, for a file a tenth larger. */
const COMPRESSION_LEVEL = 3;

export interface XlsxColumn {
  /** The first cell of the column. */
  readonly title: string;
  /** `text`: what is typed into the column stays text, leading zeros and all. */
  readonly format?: 'text' | 'general';
  /** Marks the title as that of a column which must be filled in. */
  readonly mandatory?: boolean;
}

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
  for (const [path, xml] of workbookParts([{ name: soundSheetName(sheetName) }])) {
    zip.addBuffer(Buffer.from(xml), path, ENTRY);
  }
  zip.addReadStream(sheet, sheetPath(0), ENTRY);

  const titles = columns.map(({ title }) => title);
  const rowWriter = new SheetRowWriter(titles);
  const styles = columns.map(({ format }) => (format === 'text' ? STYLE.text : STYLE.general));
  const headerStyles = columns.map(({ mandatory }) => (mandatory === true ? STYLE.mandatoryHeader : STYLE.header));
  let pending = sheetHead(columns) + rowWriter.xmlOf(titles, headerStyles);

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
      pending += '</sheetData></worksheet>';
      await flush();
      sheet.end();
      zip.end();
      await done;
    },
  };
}

const ENTRY = { mtime: FIXED_TIME, forceDosTimestamp: true, mode: 0o100644, compressionLevel: COMPRESSION_LEVEL };

/** The sheet up to its first row: the header stays in view, and columns have widths and formats. */
function sheetHead(columns: readonly XlsxColumn[]): string {
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '</sheetView></sheetViews>';
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    `<worksheet xmlns="${SPREADSHEET_ML}">${view}${columnFormats(columns)}<sheetData>`
  );
}

function columnFormats(columns: readonly XlsxColumn[]): string {
  if (columns.length === 0) return '';
  const formats = columns.map(({ title, format }, index) => {
    const width = Math.min(Math.max(title.length + 3, 12), 40);
    const style = format === 'text' ? ` style="${STYLE.text}"` : '';
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${style}/>`;
  });
  return `<cols>${formats.join('')}</cols>`;
}
