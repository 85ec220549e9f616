/** Reads the rows of the sheet of a workbook, one after the other. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ReadMeter } from '../../text/upload-blocks.js';
import type { MergedCells } from '../cell.js';
import { ODS_FORMATS } from '../ods/ods-formats.js';
import { readOdsSheet } from '../ods/read-ods-sheet.js';
import { ElementReader } from '../read/element-reader.js';
import { readMergedCells } from '../read/merged-cells.js';
import { type NumberFormat, readNumberFormats } from '../read/number-formats.js';
import type { RawRow } from '../read/raw-row.js';
import { RowHandler } from '../read/row-handler.js';
import { SharedStrings } from '../read/shared-strings.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readOutline } from '../read/workbook-outline.js';
import { xmlBytes } from '../read/xml-bytes.js';
import { openWorkbook, type WorkbookInput } from './open-workbook.js';

/** The elements of a sheet that are its rows. */
export const SHEET = { container: 'sheetData', closing: '</row>' };

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly sharedStrings: SharedStrings;
  /** By the index of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  /** Whether a result of 0 may be none. */
  readonly isUncalculated: boolean;
  readonly sheetName: string;
  /** The merged cells of the row that was asked for; in an OpenDocument sheet, the row itself has them. */
  readonly merged: readonly MergedCells[];
}

/**
 * Reads the sheet, a piece after each `next`.
 * @param open called once, before the first row; returns what is given each row
 * @param mergedIn the row whose merged cells are needed
 */
export async function* readSheet(
  input: WorkbookInput,
  meter: ReadMeter,
  pacer: EventLoopPacer,
  open: (sheet: SheetContext) => (row: RawRow) => void,
  mergedIn?: number,
): AsyncGenerator<void> {
  const { archive, isOds, createScratch, close } = await openWorkbook(input, meter, pacer);
  try {
    if (isOds) {
      const sheet = { sharedStrings: new SharedStrings(createScratch, WORKBOOK_LIMITS), formats: ODS_FORMATS };
      yield* readOdsSheet(archive, input.options.sheet, pacer, (sheetName) =>
        open({ ...sheet, sheetName, date1904: false, isUncalculated: false, merged: [] }),
      );
      return;
    }
    const outline = await readOutline(archive, input.options.sheet, WORKBOOK_LIMITS);
    const formats = await readNumberFormats(archive, outline.styles, WORKBOOK_LIMITS);
    const sharedStrings = new SharedStrings(createScratch, WORKBOOK_LIMITS);
    if (outline.sharedStrings !== null) await sharedStrings.load(archive, outline.sharedStrings, pacer);
    const { date1904, isUncalculated, sheetName } = outline;
    const merged = mergedIn === undefined ? [] : await readMergedCells(archive.read(outline.sheet), mergedIn, pacer);
    const context = { sharedStrings, formats, date1904, isUncalculated, sheetName, merged };
    const handler = new RowHandler(open(context));
    const reader = new ElementReader(handler, SHEET, WORKBOOK_LIMITS);
    for await (const text of xmlBytes(archive.read(outline.sheet))) {
      reader.write(text);
      await pacer.pause();
      yield;
    }
    reader.finish();
  } finally {
    close();
  }
}
