/** XML: elements, of which those at the path that a profile names are rows. What we write for it is CSV with paths as columns. */
import type { FormatDefinition } from './definition.js';

export const xmlFormat = {
  extensions: ['xml'],
  mediaType: 'application/xml',
  needsProfile: true,
  reads: 'text',
  rows: 'elements',
  delimiter: null,
  options: ['encoding'],
  exports: null,
} as const satisfies FormatDefinition;
