/** Opens the archive of a workbook, of which its parts are read. */
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ScratchFile } from '../../../../platform/file-store.js';
import type { RandomAccess } from '../../model/random-access.js';
import type { SourceFormat } from '../../model/source-format.js';
import type { UploadInput } from '../../model/source-input.js';
import { type ReadMeter, uploadBlocks } from '../../text/upload-blocks.js';
import { isOpenDocument } from '../ods/read-ods-sheet.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { ZipArchive } from '../read/zip-archive.js';
import { refuseNoArchive, refuseOtherWorkbook } from './refuse-no-archive.js';

/** A workbook in XLSX or in OpenDocument's ODS. */
export interface WorkbookInput extends UploadInput {
  readonly format: SourceFormat;
}

interface OpenWorkbook {
  readonly archive: ZipArchive;
  /** Whether it is one of OpenDocument. */
  readonly isOds: boolean;
  /** Creates a file for what memory does not hold, which `close` removes. */
  readonly createScratch: () => Promise<ScratchFile>;
  close(): void;
}

/** @throws RejectedInput when the file is no workbook of its format */
export async function openWorkbook(
  input: WorkbookInput,
  meter: ReadMeter,
  pacer: EventLoopPacer,
): Promise<OpenWorkbook> {
  const scratches: ScratchFile[] = [];
  const createScratch = async (): Promise<ScratchFile> => {
    const scratch = await input.createScratch();
    scratches.push(scratch);
    return scratch;
  };
  const close = () => {
    for (const scratch of scratches) scratch.close();
  };
  try {
    const upload = input.gzip ? await unpacked(input, meter, await createScratch(), pacer) : await input.openRanges();
    const file = metered(upload, meter);
    await refuseNoArchive(file, input.format);
    const archive = await ZipArchive.open(file, WORKBOOK_LIMITS);
    const isOds = isOpenDocument(archive);
    refuseOtherWorkbook(archive, input.format, isOds);
    return { archive, isOds, createScratch, close };
  } catch (error) {
    close();
    throw error;
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
