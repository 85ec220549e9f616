/** Reads the sheet of a workbook: as blocks of its normalised copy, or as it is. */
import { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ScratchFile } from '../../../../platform/file-store.js';
import { RejectedInput } from '../../../kernel/rejected-input.js';
import { HEAD_BYTES, refuseBinary, refuseOpenDocument, refuseText } from '../../plan/refuse-wrong-format.js';
import type { SourceInput, UploadInput } from '../../source-contract.js';
import { ReadMeter, uploadBlocks } from '../../text/upload-blocks.js';
import type { RawRow, StyledCell } from '../cell.js';
import { CELL_TYPE } from '../cell.js';
import { ElementReader } from '../read/element-reader.js';
import { unescapeCellText } from '../read/escaped-text.js';
import { type NumberFormat, readNumberFormats } from '../read/number-formats.js';
import type { RandomAccess } from '../read/random-access.js';
import { RowHandler } from '../read/row-handler.js';
import { SharedStrings } from '../read/shared-strings.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readOutline } from '../read/workbook-outline.js';
import { textOfBytes, xmlBytes } from '../read/xml-bytes.js';
import { ZipArchive } from '../read/zip-archive.js';
import { FormulaResults } from './formula-results.js';
import { WorkbookRows } from './workbook-rows.js';

const BLOCK_BYTES = 64 * 1024;
const SHEET = { container: 'sheetData', closing: '</row>' };

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
    if (rows === undefined || rows.bytes < BLOCK_BYTES) continue;
    const block = rows.take();
    bytes += block.length;
    if (bytes > input.limits.maxBytes) throw tooLarge(input.limits.maxBytes);
    yield block;
  }
  const last = rows?.take() ?? Buffer.alloc(0);
  if (bytes + last.length === 0) throw new RejectedInput('EMPTY_FILE', `The sheet "${sheetName}" has no cells.`);
  yield last;
}

/** What the cells of a sheet refer to. */
interface SheetContext {
  readonly sharedStrings: SharedStrings;
  /** By the index of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly date1904: boolean;
  /** Whether a result of 0 may be none. */
  readonly isUncalculated: boolean;
  readonly sheetName: string;
}

/**
 * Reads the sheet, a piece after each `next`.
 * @param open called once, before the first row; returns what is given each row
 */
async function* readSheet(
  input: UploadInput,
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
    await refuseNoArchive(file);
    const archive = await ZipArchive.open(file, WORKBOOK_LIMITS);
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

function tooLarge(maxBytes: number): RejectedInput {
  return new RejectedInput(
    'TOO_LARGE',
    `The sheet holds more than ${maxBytes} bytes of text. Split it and upload the parts one by one.`,
  );
}

// Reads rows as they are in the workbook: with the types and the number formats of their cells.

/** By how much the day numbers of the two date systems differ. */
const DAYS_BEFORE_1904 = 1_462;

export interface OriginalRows {
  /** The cells of a row, by column; undefined when the sheet has no such row. Rows must be asked for in ascending order. */
  cellsOf(row: number): Promise<readonly StyledCell[] | undefined>;
  /** Ends the reading. */
  close(): Promise<void>;
}

/** Opens the sheet that the import has read. It is read only as far as rows are asked for. */
export function openOriginalRows(input: UploadInput): OriginalRows {
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
      return { value: text === '1' || text === 'true', format };
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

// Recognises files that are not XLSX workbooks by their first bytes, including encrypted ones.

const ARCHIVE = Buffer.from('504b', 'hex');
/** The container of Office files before 2007, which encrypted files still use. */
const COMPOUND = Buffer.from('d0cf11e0', 'hex');
/** A stream of this name holds the workbook that a password protects. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');
const DIRECTORY_BYTES = 64 * 1024;

/** @throws RejectedInput EMPTY_FILE, WORKBOOK_ENCRYPTED, WRONG_FORMAT. */
async function refuseNoArchive(file: RandomAccess): Promise<void> {
  const head = await file.readRange(0, Math.min(HEAD_BYTES, file.size));
  if (head.length === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  refuseOpenDocument(head, 'XLSX');
  if (startsWith(head, ARCHIVE)) return;
  if (startsWith(head, COMPOUND) && (await isEncrypted(file, head))) {
    throw new RejectedInput(
      'WORKBOOK_ENCRYPTED',
      'The workbook is protected by a password. Save it without one, and upload it again.',
    );
  }
  refuseBinary(head, 'XLSX');
  throw refuseText(head);
}

/** Searches the beginning of the container's directory, and both ends of the file. */
async function isEncrypted(file: RandomAccess, head: Buffer): Promise<boolean> {
  if (head.length < 52) return false;
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const directory = (head.readUInt32LE(48) + 1) * sectorBytes;
  for (const start of [directory, 0, Math.max(0, file.size - DIRECTORY_BYTES)]) {
    const end = Math.min(start + DIRECTORY_BYTES, file.size);
    if (start < end && (await file.readRange(start, end)).includes(ENCRYPTED_STREAM)) return true;
  }
  return false;
}

function startsWith(head: Buffer, magic: Buffer): boolean {
  return head.subarray(0, magic.length).equals(magic);
}
