/** Reads the sheet of a workbook as blocks of its normalised copy. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ScratchFile } from '../../../../platform/file-store.js';
import { RejectedInput } from '../../../kernel/rejected-input.js';
import { HEAD_BYTES, refuseBinary, refuseOpenDocument, refuseText } from '../../plan/refuse-wrong-format.js';
import type { SourceInput } from '../../source-contract.js';
import type { ReadMeter } from '../../text/upload-blocks.js';
import { uploadBlocks } from '../../text/upload-blocks.js';
import { ElementReader } from '../read/element-reader.js';
import { readNumberDisplays } from '../read/number-formats.js';
import type { RandomAccess } from '../read/random-access.js';
import { RowHandler } from '../read/row-handler.js';
import { SharedStrings } from '../read/shared-strings.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { readOutline } from '../read/workbook-outline.js';
import { xmlBytes } from '../read/xml-bytes.js';
import { ZipArchive } from '../read/zip-archive.js';
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
  const scratches: ScratchFile[] = [];
  const createScratch = async (): Promise<ScratchFile> => {
    const scratch = await input.createScratch();
    scratches.push(scratch);
    return scratch;
  };
  try {
    const file = input.gzip ? await unpacked(input, meter, await createScratch(), pacer) : await input.openRanges();
    yield* sheetBlocks(input, metered(file, meter), createScratch, pacer);
  } finally {
    for (const scratch of scratches) scratch.close();
  }
}

async function* sheetBlocks(
  input: SourceInput,
  file: RandomAccess,
  createScratch: () => Promise<ScratchFile>,
  pacer: EventLoopPacer,
): AsyncGenerator<Buffer> {
  await refuseNoArchive(file);
  const archive = await ZipArchive.open(file, WORKBOOK_LIMITS);
  const outline = await readOutline(archive, input.options.sheet, WORKBOOK_LIMITS);
  const displays = await readNumberDisplays(archive, outline.styles, WORKBOOK_LIMITS);
  const sharedStrings = new SharedStrings(createScratch, WORKBOOK_LIMITS);
  if (outline.sharedStrings !== null) await sharedStrings.load(archive, outline.sharedStrings, pacer);
  const context = { sharedStrings, displays, date1904: outline.date1904 };
  const rows = new WorkbookRows(context, input.limits, (header) => input.workbookColumns(header));
  const reader = new ElementReader(new RowHandler((row) => rows.add(row)), SHEET, WORKBOOK_LIMITS);
  let bytes = 0;
  for await (const text of xmlBytes(archive.read(outline.sheet))) {
    reader.write(text);
    await pacer.pause();
    if (rows.bytes < BLOCK_BYTES) continue;
    const block = rows.take();
    bytes += block.length;
    if (bytes > input.limits.maxBytes) throw tooLarge(input.limits.maxBytes);
    yield block;
  }
  reader.finish();
  const last = rows.take();
  if (bytes + last.length === 0)
    throw new RejectedInput('EMPTY_FILE', `The sheet "${outline.sheetName}" has no cells.`);
  yield last;
}

/** A workbook that is compressed by gzip must be unpacked first, because its directory is at its end. */
async function unpacked(
  input: SourceInput,
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
