/** Lists the sheets of a workbook, and counts the rows of each: of several, a person has to know which one is read. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { RejectedInput } from '../../model/rejected-input.js';
import { ReadMeter } from '../../text/upload-blocks.js';
import { countOdsSheets } from '../ods/count-ods-sheets.js';
import { ElementReader } from '../read/element-reader.js';
import type { RawRow } from '../read/raw-row.js';
import { RowHandler } from '../read/row-handler.js';
import { MOST_COUNTED_ROWS, type SheetCount } from '../read/sheet-count.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readSheetParts } from '../read/workbook-outline.js';
import { xmlBytes } from '../read/xml-bytes.js';
import type { ZipArchive } from '../read/zip-archive.js';
import { openWorkbook, type WorkbookInput } from './open-workbook.js';
import { SHEET } from './read-sheet.js';

/** No more sheets of a workbook are looked into. */
const MOST_COUNTED_SHEETS = 200;

/**
 * @returns the sheets in their order. One that is damaged has as many rows as could be read
 * @throws RejectedInput when the file is no workbook
 */
export async function countSheets(input: WorkbookInput, pacer: EventLoopPacer): Promise<readonly SheetCount[]> {
  const { archive, isOds, close } = await openWorkbook(input, new ReadMeter(input), pacer);
  try {
    if (!isOds) return await countXlsxSheets(archive, pacer);
    const sheets: SheetCount[] = [];
    await unlessDamaged(() => countOdsSheets(archive, sheets, pacer));
    return sheets;
  } finally {
    close();
  }
}

async function countXlsxSheets(archive: ZipArchive, pacer: EventLoopPacer): Promise<SheetCount[]> {
  const sheets: SheetCount[] = [];
  for (const { name, hidden, part } of await readSheetParts(archive, WORKBOOK_LIMITS)) {
    const found = { rows: 0, columns: 0 };
    if (archive.has(part) && sheets.length < MOST_COUNTED_SHEETS)
      await unlessDamaged(() => countRows(archive, part, found, pacer));
    sheets.push({ name, hidden, ...found });
  }
  return sheets;
}

async function countRows(
  archive: ZipArchive,
  part: string,
  found: { rows: number; columns: number },
  pacer: EventLoopPacer,
): Promise<void> {
  const handler = new RowHandler((row) => {
    const filled = filledIn(row);
    if (filled === 0) return;
    found.rows = Math.min(MOST_COUNTED_ROWS, found.rows + 1);
    found.columns = Math.max(found.columns, filled);
  });
  const reader = new ElementReader(handler, SHEET, WORKBOOK_LIMITS);
  for await (const text of xmlBytes(archive.read(part))) {
    reader.write(text);
    await pacer.pause();
    if (found.rows === MOST_COUNTED_ROWS) return;
  }
  reader.finish();
}

function filledIn({ texts, count }: RawRow): number {
  let filled = 0;
  for (let index = 0; index < count; index += 1) if (texts[index] !== null && texts[index] !== '') filled += 1;
  return filled;
}

/** What is wrong with a sheet that is not read is no reason to refuse the file; that of the one that is read is said later. */
async function unlessDamaged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
  }
}
