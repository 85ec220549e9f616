/** A site into a workbook, measured against the same rows as CSV. */
import { flatCopy } from '../reference/flat-copy.js';
import { fileExport } from './file-export.js';
import { QUICK_XLSX_ROWS } from './file-import.js';

export const exportXlsx = fileExport({
  name: 'export-xlsx',
  format: 'XLSX',
  quickRows: QUICK_XLSX_ROWS,
  aim: { value: 0.1, is: 'at least' },
  reference: flatCopy,
});
