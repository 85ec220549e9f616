/** JSON Lines: an object a line. */
import type { FormatDefinition } from './definition.js';

export const jsonlFormat = {
  extensions: ['jsonl', 'ndjson'],
  mediaType: 'application/x-ndjson',
  reads: 'text',
  rows: 'lines',
  delimiter: null,
  heeds: ['encoding'],
  exports: 'lines',
  writeTemplate: null,
} as const satisfies FormatDefinition;
