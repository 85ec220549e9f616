/** Finds the header of a sheet: titles stand above that of many workbooks, often in merged cells. */
import { openTable } from '../formats/table/open-table.js';
import type { TableInput } from '../formats/table/table.js';
import type { DetectedFormat } from './detect-format.js';
import { judgeHeader } from './dialect/judge-header.js';
import { certain } from './model/answer.js';

/** The header is among the first rows; so many of those below say what the columns are. */
const SAMPLED_ROWS = 300;

/** Reads the first rows of a workbook's sheet. @throws RejectedInput */
export async function detectSheetFormat(input: TableInput): Promise<DetectedFormat> {
  const table = await openTable(input, {});
  const sampled = [{ row: table.format.headerRow, cells: [...table.header] }];
  try {
    for await (const batch of table.batches) {
      sampled.push(...batch.slice(0, SAMPLED_ROWS).map(({ row, cells }) => ({ row, cells: [...cells] })));
      if (sampled.length > SAMPLED_ROWS) break;
    }
  } finally {
    await table.batches.return();
  }
  // Rows end with their last cell that has a value.
  const width = Math.max(...sampled.map(({ cells }) => cells.length));
  for (const { cells } of sampled) while (cells.length < width) cells.push('');
  const headerRow = judgeHeader(sampled);
  const encoding = certain('utf-8', 'Workbooks have one encoding.');
  return {
    answers: { encoding, delimiter: null, quote: null, headerRow, rowPath: null },
    options: { headerRow: headerRow.value ?? headerRow.rivals[0] },
  };
}
