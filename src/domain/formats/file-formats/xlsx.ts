/** XLSX: a workbook, of which one sheet is read. It says itself how its texts are encoded. */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createXlsxWriter } from '../xlsx/create-xlsx-writer.js';
import type { FormatDefinition } from './definition.js';

export const xlsxFormat = {
  extensions: ['xlsx'],
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  reads: 'workbook',
  rows: 'table',
  delimiter: null,
  heeds: ['decimalSeparator', 'dateFormat', 'sheet'],
  exports: 'workbook',
  /** A workbook whose columns are marked, formatted and given their lists. */
  writeTemplate: async (columns, sheetName) => {
    const sink = new PassThrough();
    const bytes = buffer(sink);
    const writer = createXlsxWriter(sink, { sheetName, header: columns });
    await writer.end();
    return bytes;
  },
} as const satisfies FormatDefinition;
