/** JSON Lines: one object on each line. */
import type { FormatDefinition } from './definition.js';

export const jsonlFormat = {
  extensions: ['jsonl', 'ndjson'],
  mediaType: 'application/x-ndjson',
  needsProfile: false,
  reads: 'text',
  rows: 'lines',
  delimiter: null,
  options: ['encoding'],
  exports: 'lines',
} as const satisfies FormatDefinition;
