/** XLSX: a workbook, of which one sheet is read. The file itself defines the encoding of its texts. */
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
} as const satisfies FormatDefinition;
