/** A workbook into an empty site. */
import { writeWorkbook } from '../data/write-rows.js';
import { fileImport, QUICK_ROWS } from './file-import.js';

export const importXlsx = fileImport({
  name: 'import-xlsx',
  fileName: 'items.xlsx',
  aim: { value: 0.35, is: 'at least' },
  quickRows: QUICK_ROWS,
  write: writeWorkbook,
});
