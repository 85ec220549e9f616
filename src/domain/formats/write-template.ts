/** Writes templates: the header that an import reads, for a person to fill in the rows. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { csvLine } from './csv/csv-line.js';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.js';
import type { XlsxColumn } from './xlsx/xlsx-column.js';

/** Makes spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * One line in UTF-8 with a byte order mark, ended by CRLF.
 * @param escapeFormulas puts an apostrophe before titles that a spreadsheet would execute as formulas
 */
export function writeCsvTemplate(columns: readonly XlsxColumn[], escapeFormulas = false): Buffer {
  const titles = columns.map(({ title }) => title);
  return Buffer.from(`${BYTE_ORDER_MARK}${csvLine(titles, { delimiter: ',', escapeFormulas })}\r\n`, 'utf8');
}

/** A workbook with marked titles, column formats and lists of choices. */
export async function writeXlsxTemplate(columns: readonly XlsxColumn[], sheetName: string): Promise<Buffer> {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  const writer = createXlsxWriter(sink, { sheetName, header: columns });
  await writer.end();
  return bytes;
}
