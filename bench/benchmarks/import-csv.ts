/** A CSV file into an empty site. */
import { writeCsv } from '../data/write-rows.js';
import { fileImport } from './file-import.js';

export const importCsv = fileImport({
  name: 'import-csv',
  fileName: 'items.csv',
  aim: { value: 0.7, is: 'at least' },
  write: writeCsv,
});
