/** A workbook into an empty site. */
import { writeWorkbook } from '../data/write-rows.js';
import { fileImport, QUICK_XLSX_ROWS } from './file-import.js';

export const importXlsx = fileImport({
  name: 'import-xlsx',
  fileName: 'items.xlsx',
  quickRows: QUICK_XLSX_ROWS,
  aim: { value: 0.35, is: 'at least' },
  write: writeWorkbook,
});
