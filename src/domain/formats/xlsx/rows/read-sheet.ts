/** Reads the rows of the sheet of a workbook, one after the other. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ScratchFile } from '../../../../platform/file-store.js';
import type { RandomAccess } from '../../model/random-access.js';
import type { SourceFormat } from '../../model/source-format.js';
import type { UploadInput } from '../../model/source-input.js';
import { type ReadMeter, uploadBlocks } from '../../text/upload-blocks.js';
import { ODS_FORMATS } from '../ods/ods-formats.js';
import { isOpenDocument, readOdsSheet } from '../ods/read-ods-sheet.js';
import { ElementReader } from '../read/element-reader.js';
import { type NumberFormat, readNumberFormats } from '../read/number-formats.js';
import type { RawRow } from '../read/raw-row.js';
import { RowHandler } from '../read/row-handler.js';
import { SharedStrings } from '../read/shared-strings.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readOutline } from '../read/workbook-outline.js';
import { xmlBytes } from '../read/xml-bytes.js';
import { ZipArchive } from '../read/zip-archive.js';
import { refuseNoArchive, refuseOtherWorkbook } from './refuse-no-archive.js';

const SHEET = { container: 'sheetData', closing: '</row>' };

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly sharedStrings: SharedStrings;
  /** By the index of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  /** Whether a result of 0 may be none. */
  readonly isUncalculated: boolean;
  readonly sheetName: string;
}

/** A workbook in XLSX or in OpenDocument's ODS. */
export interface WorkbookInput extends UploadInput {
  readonly format: SourceFormat;
}

/**
 * Reads the sheet, a piece after each `next`.
 * @param open called once, before the first row; returns what is given each row
 */
export async function* readSheet(
  input: WorkbookInput,
  meter: ReadMeter,
  pacer: EventLoopPacer,
  open: (sheet: SheetContext) => (row: RawRow) => void,
): AsyncGenerator<void> {
  const scratches: ScratchFile[] = [];
  const createScratch = async (): Promise<ScratchFile> => {
    const scratch = await input.createScratch();
    scratches.push(scratch);
    return scratch;
  };
  try {
    const upload = input.gzip ? await unpacked(input, meter, await createScratch(), pacer) : await input.openRanges();
    const file = metered(upload, meter);
    await refuseNoArchive(file, input.format);
    const archive = await ZipArchive.open(file, WORKBOOK_LIMITS);
    const isOds = isOpenDocument(archive);
    refuseOtherWorkbook(archive, input.format, isOds);
    if (isOds) {
      const sheet = { sharedStrings: new SharedStrings(createScratch, WORKBOOK_LIMITS), formats: ODS_FORMATS };
      yield* readOdsSheet(archive, input.options.sheet, pacer, (sheetName) =>
        open({ ...sheet, sheetName, date1904: false, isUncalculated: false }),
      );
      return;
    }
    const outline = await readOutline(archive, input.options.sheet, WORKBOOK_LIMITS);
    const formats = await readNumberFormats(archive, outline.styles, WORKBOOK_LIMITS);
    const sharedStrings = new SharedStrings(createScratch, WORKBOOK_LIMITS);
    if (outline.sharedStrings !== null) await sharedStrings.load(archive, outline.sharedStrings, pacer);
    const { date1904, isUncalculated, sheetName } = outline;
    const handler = new RowHandler(open({ sharedStrings, formats, date1904, isUncalculated, sheetName }));
    const reader = new ElementReader(handler, SHEET, WORKBOOK_LIMITS);
    for await (const text of xmlBytes(archive.read(outline.sheet))) {
      reader.write(text);
      await pacer.pause();
      yield;
    }
    reader.finish();
  } finally {
    for (const scratch of scratches) scratch.close();
  }
}

/** A workbook that is compressed by gzip must be unpacked first, because its directory is at its end. */
async function unpacked(
  input: UploadInput,
  meter: ReadMeter,
  scratch: ScratchFile,
  pacer: EventLoopPacer,
): Promise<RandomAccess> {
  for await (const block of uploadBlocks(input, meter)) {
    scratch.append(block);
    await pacer.pause();
  }
  return {
    size: scratch.size,
    readRange: async (start, end) => scratch.read(start, Math.max(start, Math.min(end, scratch.size))),
  };
}

function metered(file: RandomAccess, meter: ReadMeter): RandomAccess {
  return {
    size: file.size,
    readRange: async (start, end) => {
      const bytes = await file.readRange(start, end);
      meter.add(bytes.length);
      return bytes;
    },
  };
}
