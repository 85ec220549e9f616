/** XLSX: a workbook, of which one sheet is read. The file itself defines the encoding of its texts. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createXlsxWriter } from '../xlsx/create-xlsx-writer.js';
import type { FormatDefinition } from './definition.js';

export const xlsxFormat = {
  extensions: ['xlsx'],
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  needsProfile: false,
  reads: 'workbook',
  rows: 'table',
  delimiter: null,
  options: ['decimalSeparator', 'dateFormat', 'sheet'],
  exports: 'workbook',
  /** A workbook with marked titles, column formats and lists of choices. */
  writeTemplate: async (columns, sheetName) => {
    const sink = new PassThrough();
    const bytes = buffer(sink);
    const writer = createXlsxWriter(sink, { sheetName, header: columns });
    await writer.end();
    return bytes;
  },
} as const satisfies FormatDefinition;
