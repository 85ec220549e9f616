/** Writes a template: the header that an import reads, for a person to fill in the rows. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import Papa from 'papaparse';
import { createXlsxWriter } from '../../formats/xlsx/create-xlsx-writer.js';
import type { XlsxColumn } from '../../formats/xlsx/sheet-columns.js';

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** A file of one line in the dialect that imports read: UTF-8 with a byte order mark, CRLF, quotes where needed. */
export function csvTemplate(columns: readonly XlsxColumn[]): Buffer {
  const line = Papa.unparse([columns.map(({ title }) => title)], { newline: '\r\n' });
  return Buffer.from(`${BYTE_ORDER_MARK}${line}\r\n`, 'utf8');
}

/** A workbook whose columns are marked, formatted and given their lists. */
export async function xlsxTemplate(columns: readonly XlsxColumn[], sheetName: string): Promise<Buffer> {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  const writer = createXlsxWriter(sink, { sheetName, header: columns });
  await writer.end();
  return bytes;
}
