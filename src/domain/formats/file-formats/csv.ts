/** CSV: records in the dialect of CsvScanner, under a header. */
import { csvLine } from '../csv/csv-line.js';
import type { FormatDefinition } from './definition.js';

/** So that spreadsheets take the file for UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

export const csvFormat = {
  extensions: ['csv'],
  mediaType: 'text/csv',
  reads: 'text',
  rows: 'table',
  delimiter: null,
  heeds: ['delimiter', 'decimalSeparator', 'dateFormat', 'encoding'],
  exports: 'table',
  /** One line in UTF-8 with a byte order mark, CRLF at its end. */
  writeTemplate: async (columns) => {
    const titles = columns.map(({ title }) => title);
    return Buffer.from(`${BYTE_ORDER_MARK}${csvLine(titles, { delimiter: ',' })}\r\n`, 'utf8');
  },
} as const satisfies FormatDefinition;
