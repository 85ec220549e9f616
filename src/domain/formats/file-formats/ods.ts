/** ODS: an OpenDocument spreadsheet, of which one sheet is read. What we write for it is XLSX. */
import type { FormatDefinition } from './definition.js';

export const odsFormat = {
  extensions: ['ods'],
  mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
  needsProfile: false,
  reads: 'workbook',
  rows: 'table',
  delimiter: null,
  options: ['decimalSeparator', 'dateFormat', 'sheet'],
  exports: null,
} as const satisfies FormatDefinition;
