/** CSV: records in the dialect of CsvScanner, under a header. */
import { csvLine } from '../csv/csv-line.js';
import type { FormatDefinition } from './definition.js';

/** Makes spreadsheets read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

export const csvFormat = {
  extensions: ['csv'],
  mediaType: 'text/csv',
  needsProfile: false,
  reads: 'text',
  rows: 'table',
  delimiter: null,
  options: ['delimiter', 'decimalSeparator', 'dateFormat', 'encoding', 'escapeFormulas'],
  exports: 'table',
  /** One line in UTF-8 with a byte order mark, ended by CRLF. */
  writeTemplate: async (columns, _sheetName, escapeFormulas = false) => {
    const titles = columns.map(({ title }) => title);
    return Buffer.from(`${BYTE_ORDER_MARK}${csvLine(titles, { delimiter: ',', escapeFormulas })}\r\n`, 'utf8');
  },
} as const satisfies FormatDefinition;
