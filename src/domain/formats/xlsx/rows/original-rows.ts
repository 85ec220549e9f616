/** Reads rows as they are in the workbook: with the types and the number formats of their cells. */
import { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { ReadMeter } from '../../text/upload-blocks.js';
import type { StyledCell } from '../cell.js';
import { unescapeCellText } from '../read/escaped-text.js';
import { CELL_TYPE, type RawRow } from '../read/raw-row.js';
import { textOfBytes } from '../read/xml-bytes.js';
import { truthOf } from './cell-text.js';
import { FormulaResults } from './formula-results.js';
import type { WorkbookInput } from './open-workbook.js';
import { readSheet, type SheetContext } from './read-sheet.js';

/** By how much the day numbers of the two date systems differ. */
const DAYS_BEFORE_1904 = 1_462;

export interface OriginalRows {
  /** The cells of a row, by column; undefined when the sheet has no such row. Rows must be asked for in ascending order. */
  cellsOf(row: number): Promise<readonly StyledCell[] | undefined>;
  /** Ends the reading. */
  close(): Promise<void>;
}

/** Opens the sheet that the import has read. It is read only as far as rows are asked for. */
export function openOriginalRows(input: WorkbookInput): OriginalRows {
  /** Rows that were read and not asked for yet. */
  const ahead = new Map<number, readonly StyledCell[]>();
  let wanted = 1;
  let last = 0;
  const pieces = readSheet(input, new ReadMeter(input), new EventLoopPacer(input.signal), (sheet) => {
    const results = new FormulaResults(sheet.isUncalculated, input.limits.maxColumns);
    return (raw) => {
      last = raw.number > 0 ? raw.number : last + 1;
      results.complete(raw, last);
      if (last >= wanted) ahead.set(last, cellsOfRow(raw, sheet));
    };
  });
  return {
    cellsOf: async (row) => {
      wanted = row;
      for (const read of ahead.keys()) if (read < row) ahead.delete(read);
      while (last <= row && (await pieces.next()).done !== true);
      return ahead.get(row);
    },
    close: async () => {
      await pieces.return(undefined);
    },
  };
}

function cellsOfRow(raw: RawRow, sheet: SheetContext): StyledCell[] {
  const cells: StyledCell[] = [];
  for (let index = 0, column = -1; index < raw.count; index += 1) {
    const named = raw.columns[index] as number;
    column = named < 0 ? column + 1 : named;
    cells[column] = cellOf(raw, index, sheet);
  }
  return cells;
}

function cellOf(raw: RawRow, index: number, { sharedStrings, formats, date1904 }: SheetContext): StyledCell {
  const text = raw.texts[index] as string | null;
  const type = raw.types[index] as number;
  const { display = 'number', format = 0 } = formats[raw.styles[index] as number] ?? {};
  if (text === null || text === '') {
    // It must not become an empty cell, which would leave the value as it is.
    const isUncomputed = text === null && raw.formulas[index] === true;
    return { value: isUncomputed ? { error: '#VALUE!' } : null, format };
  }
  switch (type) {
    case CELL_TYPE.shared:
      return { value: unescapeCellText(textOfBytes(sharedStrings.get(Number(text)) ?? '')), format };
    case CELL_TYPE.inline:
    case CELL_TYPE.formulaText:
      return { value: unescapeCellText(textOfBytes(text)), format };
    case CELL_TYPE.boolean:
      return { value: truthOf(text) === 'TRUE', format };
    case CELL_TYPE.error:
      return { value: { error: textOfBytes(text) }, format };
    case CELL_TYPE.isoDate:
      return { value: { date: textOfBytes(text) }, format: 0 };
    default: {
      const number = Number(text);
      const isDate = display === 'day' || display === 'instant';
      return { value: date1904 && isDate ? number + DAYS_BEFORE_1904 : number, format };
    }
  }
}
