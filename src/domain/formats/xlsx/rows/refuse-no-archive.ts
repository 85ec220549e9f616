/** Recognises files that are not workbooks by their first bytes, including encrypted ones. */

import type { RandomAccess } from '../../model/random-access.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceFormat } from '../../model/source-format.js';
import {
  HEAD_BYTES,
  refuseBinary,
  refuseOpenDocument,
  refuseText,
  wrongFormat,
} from '../../plan/refuse-wrong-format.js';

import type { ZipArchive } from '../read/zip-archive.js';

const ARCHIVE = Buffer.from('504b', 'hex');
/** The container of Office files before 2007, which encrypted files still use. */
const COMPOUND = Buffer.from('d0cf11e0', 'hex');
/** A stream of this name holds the workbook that a password protects. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');
const DIRECTORY_BYTES = 64 * 1024;

/** @throws RejectedInput EMPTY_FILE, WORKBOOK_ENCRYPTED, WRONG_FORMAT. */
export async function refuseNoArchive(file: RandomAccess, format: SourceFormat): Promise<void> {
  const head = await file.readRange(0, Math.min(HEAD_BYTES, file.size));
  if (head.length === 0) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
  if (format !== 'ODS') refuseOpenDocument(head, format);
  if (startsWith(head, ARCHIVE)) return;
  if (startsWith(head, COMPOUND) && (await isEncrypted(file, head))) {
    throw new RejectedInput(
      'WORKBOOK_ENCRYPTED',
      'The workbook is protected by a password. Save it without one, and upload it again.',
    );
  }
  refuseBinary(head, format);
  throw refuseText(head, format);
}

/** @param isOds whether the archive is an OpenDocument file. @throws RejectedInput WRONG_FORMAT. */
export function refuseOtherWorkbook(archive: ZipArchive, format: SourceFormat, isOds: boolean): void {
  if (isOds && format !== 'ODS') {
    throw wrongFormat(format, 'an OpenDocument file, such as ODS', 'Let the name of a spreadsheet end in .ods.');
  }
  if (isOds || format !== 'ODS') return;
  if (archive.has('_rels/.rels')) {
    throw wrongFormat(format, 'a workbook in XLSX or another Office file', 'Let the name of a workbook end in .xlsx.');
  }
  throw wrongFormat(format, 'an archive (ZIP) without a spreadsheet in it', 'Unpack it.');
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
