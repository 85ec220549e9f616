/** Workbooks as our own writer makes them: made from cells, and taken apart again. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Cell } from '../../../src/domain/formats/xlsx/cell.js';
import { createXlsxWriter, type XlsxOptions } from '../../../src/domain/formats/xlsx/create-xlsx-writer.js';
import { zipEntries } from './zip-entries.js';

/** The bytes of a workbook with one sheet. */
export async function workbookOf(
  header: XlsxOptions['header'],
  rows: readonly (readonly Cell[])[],
  options: Partial<XlsxOptions> = {},
): Promise<Buffer> {
  const sink = new PassThrough();
  const bytes = buffer(sink);
  const writer = createXlsxWriter(sink, { sheetName: 'Items', header, ...options });
  await writer.write(rows);
  await writer.end();
  return bytes;
}

const CELL = /<c r="([A-Z]+)(\d+)"([^>]*)>(?:<v>([^<]*)<\/v>|<is><t[^>]*>([^<]*)<\/t><\/is>)<\/c>/g;

/** The cells of the first sheet: texts as they are, other values as `type:value`. Row and column by their index. */
export async function cellsOf(workbook: Buffer): Promise<string[][]> {
  const xml = (await zipEntries(workbook)).get('xl/worksheets/sheet1.xml') ?? '';
  const cells: string[][] = [];
  for (const [, letters = '', row = '', attributes = '', value, text] of xml.matchAll(CELL)) {
    const column = [...letters].reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    const type = /t="(\w+)"/.exec(attributes)?.[1] ?? 'n';
    const line = cells[Number(row) - 1] ?? [];
    cells[Number(row) - 1] = line;
    while (line.length < column) line.push('');
    line[column] = text === undefined ? `${type}:${value}` : unescaped(text);
  }
  return cells;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
