/** Reads a sheet of a workbook as a table. */
import type { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import type { RejectedInput } from '../model/rejected-input.js';
import { ReadMeter } from '../text/upload-blocks.js';
import type { RawRow } from '../xlsx/read/raw-row.js';
import { emptySheet } from '../xlsx/read/sheet-names.js';
import { readSheet, type SheetContext } from '../xlsx/rows/read-sheet.js';
import { SheetTable } from './sheet-table.js';
import type { OnTableHead, TableBatches, TableInput, TableOptions } from './table.js';
import { headerBeyondEnd } from './table-header.js';

/** @throws RejectedInput */
export async function* readWorkbookTable(
  input: TableInput,
  options: TableOptions,
  pacer: EventLoopPacer,
  onHead: OnTableHead,
): TableBatches {
  const tables: SheetTable[] = [];
  const open = (sheet: SheetContext) => {
    const table = new SheetTable(sheet, options, input.limits, onHead);
    tables.push(table);
    return (raw: RawRow) => table.add(raw);
  };
  const upperRow = options.headerRows === 2 && options.headerRow !== undefined ? options.headerRow - 1 : undefined;
  const pieces = readSheet(input, new ReadMeter(input), pacer, open, upperRow);
  let isOpen = false;
  for await (const _ of pieces) {
    const rows = tables[0]?.rows ?? null;
    if (rows === null) continue;
    if (!isOpen) yield [];
    isOpen = true;
    const batch = rows.take();
    if (batch.length > 0) yield batch;
  }
  const [table] = tables;
  if (table === undefined) throw new Error('a workbook was read without its sheet');
  if (table.rows === null) throw withoutHeader(table, options);
  if (!isOpen) yield [];
  yield table.rows.take();
}

function withoutHeader({ lastRow, sheetName }: SheetTable, { headerRow }: TableOptions): RejectedInput {
  if (lastRow > 0 && headerRow !== undefined) return headerBeyondEnd(headerRow, lastRow);
  return emptySheet(sheetName);
}
