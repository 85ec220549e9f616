/** A site into a CSV file. */
import { flatCopy } from '../reference/flat-copy.js';
import { fileExport } from './file-export.js';

export const exportCsv = fileExport({
  name: 'export-csv',
  format: 'CSV',
  aim: { value: 0.7, is: 'at least' },
  reference: flatCopy,
});
