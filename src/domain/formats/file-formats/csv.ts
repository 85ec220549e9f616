/** CSV: records in the dialect of CsvScanner, under a header. */
import type { FormatDefinition } from './definition.js';

export const csvFormat = {
  extensions: ['csv'],
  mediaType: 'text/csv',
  needsProfile: false,
  reads: 'text',
  rows: 'table',
  delimiter: null,
  options: ['delimiter', 'decimalSeparator', 'dateFormat', 'encoding', 'escapeFormulas'],
  exports: 'table',
} as const satisfies FormatDefinition;
