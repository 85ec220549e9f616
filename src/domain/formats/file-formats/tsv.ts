/** TSV: CSV whose delimiter is a tab. Exports call it CSV with the delimiter tab. */
import type { FormatDefinition } from './definition.js';

export const tsvFormat = {
  extensions: ['tsv'],
  mediaType: 'text/tab-separated-values',
  needsProfile: false,
  reads: 'text',
  rows: 'table',
  delimiter: '\t',
  options: ['delimiter', 'decimalSeparator', 'dateFormat', 'encoding', 'escapeFormulas'],
  exports: null,
} as const satisfies FormatDefinition;
