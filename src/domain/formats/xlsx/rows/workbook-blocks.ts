/** Reads a workbook as the blocks of its normalised copy, which is CSV. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceInput } from '../../model/source-input.js';
import type { ReadMeter } from '../../text/upload-blocks.js';
import type { RawRow } from '../read/raw-row.js';
import { emptySheet } from '../read/sheet-names.js';
import { readSheet, type SheetContext } from './read-sheet.js';
import { WorkbookRows } from './workbook-rows.js';

const BLOCK_BYTES = 64 * 1024;

/**
 * The rows of the upload's first or named sheet as CSV with WORKBOOK_DELIMITER, in UTF-8: one line for each row of the
 * sheet.
 * @throws RejectedInput when the workbook cannot be used as a whole.
 */
export async function* workbookBlocks(
  input: SourceInput,
  meter: ReadMeter,
  pacer: EventLoopPacer,
): AsyncGenerator<Buffer> {
  let rows: WorkbookRows | undefined;
  let bytes = 0;
  let sheetName = '';
  const open = (sheet: SheetContext): ((row: RawRow) => void) => {
    const opened = new WorkbookRows(sheet, input.limits, (header) => input.workbookColumns(header));
    rows = opened;
    ({ sheetName } = sheet);
    return (row) => opened.add(row);
  };
  for await (const _ of readSheet(input, meter, pacer, open)) {
    if (rows === undefined || rows.lines.bytes < BLOCK_BYTES) continue;
    const block = rows.lines.take();
    bytes += block.length;
    if (bytes > input.limits.maxBytes) throw tooLarge(input.limits.maxBytes);
    yield block;
  }
  const last = rows?.lines.take() ?? Buffer.alloc(0);
  if (bytes + last.length === 0) throw emptySheet(sheetName);
  yield last;
}

function tooLarge(maxBytes: number): RejectedInput {
  return new RejectedInput(
    'TOO_LARGE',
    `The sheet holds more than ${maxBytes} bytes of text. Split it and upload the parts one by one.`,
  );
}
