/** Finds the sheet of a workbook, and its header: titles stand above that of many workbooks, often in merged cells. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { openTable } from '../formats/table/open-table.js';
import type { TableInput } from '../formats/table/table.js';
import { countSheets } from '../formats/xlsx/rows/count-sheets.js';
import { readSheetMarks } from '../formats/xlsx/rows/sheet-marks.js';
import { type AskedForm, type DetectedFormat, headerOf } from './detect-format.js';
import { judgeSheet } from './judge-sheet.js';
import { certain } from './model/answer.js';
import { sheetNotes } from './sheet-notes.js';

/** The header is among the first rows; so many of those below say what the columns are. */
const SAMPLED_ROWS = 300;

/** Reads the first rows of a workbook's sheet. @throws RejectedInput */
export async function detectSheetFormat(input: TableInput, asked: AskedForm): Promise<DetectedFormat> {
  const sheets = await countSheets(input, new EventLoopPacer(input.signal));
  const sheetChoice = judgeSheet(sheets, input.options.sheet);
  const sheet = sheetChoice?.value ?? undefined;
  const table = await openTable(input, { sheet });
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
  const { headerRow, headerRows } = headerOf(asked, sampled, sampled.length <= SAMPLED_ROWS);
  const first = (headerRow.value ?? 0) + 1;
  const marks = await readSheetMarks(input, table.format.sheet ?? '', first, new EventLoopPacer(input.signal));
  const header = sampled.find(({ row }) => row === headerRow.value)?.cells ?? [];
  const encoding = certain('utf-8', 'Workbooks have one encoding.');
  return {
    answers: {
      ...{
        encoding,
        sameEncodings: [],
        delimiter: null,
        quote: null,
        escape: null,
        headerRow,
        headerRows,
        rowPath: null,
      },
      sheets: sheets.map(({ name, hidden, rows }) => ({ name, hidden, rows })),
      sheetChoice,
    },
    notes: sheetNotes(marks, width, header),
    options: { sheet, headerRow: headerRow.value ?? headerRow.rivals[0], headerRows },
  };
}
