/** A JSON Lines file into an empty site. */
import { writeJsonLines } from '../data/write-rows.js';
import { fileImport } from './file-import.js';

export const importJsonl = fileImport({
  name: 'import-jsonl',
  fileName: 'items.jsonl',
  aim: { value: 0.6, is: 'at least' },
  write: writeJsonLines,
});
