/** JSON: one array of objects. */
import type { FormatDefinition } from './definition.js';

export const jsonFormat = {
  extensions: ['json'],
  mediaType: 'application/json',
  needsProfile: false,
  reads: 'text',
  rows: 'array',
  delimiter: null,
  options: ['encoding'],
  exports: null,
} as const satisfies FormatDefinition;
