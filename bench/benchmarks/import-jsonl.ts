/** A JSON Lines file into an empty site. */
import { writeJsonLines } from '../data/write-rows.js';
import { fileImport, QUICK_ROWS } from './file-import.js';

export const importJsonl = fileImport({
  name: 'import-jsonl',
  fileName: 'items.jsonl',
  aim: { value: 0.6, is: 'at least' },
  quickRows: QUICK_ROWS,
  write: writeJsonLines,
});
