/** Opens the ZIP archive of a workbook, and reads its parts as streams that stop at zip bombs. */
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import type { RandomAccess } from '../../model/random-access.js';
import { RejectedInput } from '../../model/rejected-input.js';
import { BLOCK_BYTES, BlockReader, WatchedSource } from './block-reader.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { damaged, tooComplex } from './workbook-problem.js';

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** Names of parts are short; entries with longer names are ignored. */
const MAX_NAME_CHARACTERS = 400;

/** The position of a part, without the extra data that a hostile archive can add. */
interface ArchivePart {
  readonly headerOffset: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
}

export class ZipArchive {
  #expandedBytes = 0;

  readonly #source: WatchedSource;
  readonly #zip: ZipFile;
  readonly #parts: ReadonlyMap<string, ArchivePart>;
  readonly #limits: WorkbookLimits;

  private constructor(
    source: WatchedSource,
    zip: ZipFile,
    parts: ReadonlyMap<string, ArchivePart>,
    limits: WorkbookLimits,
  ) {
    this.#source = source;
    this.#zip = zip;
    this.#parts = parts;
    this.#limits = limits;
  }

  /** @throws RejectedInput WORKBOOK_DAMAGED, WORKBOOK_TOO_COMPLEX. */
  static async open(file: RandomAccess, limits: WorkbookLimits): Promise<ZipArchive> {
    const source = new WatchedSource(file);
    try {
      const options = { lazyEntries: true, autoClose: false };
      const zip = await fromRandomAccessReaderPromise(new BlockReader(source), source.size, options);
      zip.on('error', () => undefined);
      if (zip.entryCount > limits.maxEntries) throw tooComplex(`The workbook is made of ${zip.entryCount} files`);
      const parts = new Map<string, ArchivePart>();
      for await (const entry of zip.eachEntry()) addPart(parts, entry);
      return new ZipArchive(source, zip, parts, limits);
    } catch (error) {
      throw source.causeOf(error);
    }
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  /**
   * The bytes of a part in blocks, checked against the size and the checksum in the archive.
   * @throws RejectedInput WORKBOOK_DAMAGED (also for a part that is missing), WORKBOOK_ENCRYPTED, EXPANSION_RATIO,
   *   TOO_LARGE.
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const part = this.#parts.get(name.toLowerCase());
    if (part === undefined) throw damaged(`it has no part "${name}"`);
    if ((part.flags & ENCRYPTED) !== 0) {
      throw new RejectedInput('WORKBOOK_ENCRYPTED', 'The workbook is encrypted. Save it without a password.');
    }
    if (part.method !== STORED && part.method !== DEFLATED) {
      throw damaged(`its part "${name}" is compressed by an unknown method (${part.method})`);
    }
    const start = await this.#dataStart(part);
    const read = { bytes: 0 };
    const raw = this.#rawBlocks(start, start + part.compressedSize, read);
    let bytes = 0;
    let crc = 0;
    for await (const block of part.method === STORED ? raw : this.#inflated(raw)) {
      bytes += block.length;
      this.#expandedBytes += block.length;
      crc = crc32(block, crc);
      this.#check(bytes, read.bytes);
      yield block;
    }
    if (bytes !== part.size || crc !== part.crc) throw damaged(`its part "${name}" is not what its checksum says`);
  }

  async #dataStart({ headerOffset, compressedSize }: ArchivePart): Promise<number> {
    const entry = { relativeOffsetOfLocalHeader: headerOffset, compressedSize } as Entry;
    try {
      return (await this.#zip.readLocalFileHeaderPromise(entry, { minimal: true })).fileDataStart;
    } catch (error) {
      throw this.#source.causeOf(error);
    }
  }

  async *#rawBlocks(start: number, end: number, read: { bytes: number }): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += BLOCK_BYTES) {
      const block = await this.#source.readRange(at, Math.min(at + BLOCK_BYTES, end));
      read.bytes += block.length;
      yield block;
    }
  }

  async *#inflated(raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    const inflate = createInflateRaw({ chunkSize: BLOCK_BYTES });
    const input = Readable.from(raw, { objectMode: false, highWaterMark: BLOCK_BYTES });
    input.on('error', (error) => inflate.destroy(error));
    input.pipe(inflate);
    try {
      for await (const block of inflate) yield block;
    } catch (error) {
      throw this.#source.causeOf(error);
    } finally {
      input.destroy();
      inflate.destroy();
    }
  }

  #check(bytes: number, rawBytes: number): void {
    const { maxExpandedBytes, maxExpansionRatio, ratioFromBytes } = this.#limits;
    if (bytes > ratioFromBytes && bytes > rawBytes * maxExpansionRatio) {
      throw new RejectedInput(
        'EXPANSION_RATIO',
        `The workbook expands to more than ${maxExpansionRatio} times its size, as a zip bomb does. ` +
          'Copy the rows into a new workbook, or save the sheet as CSV.',
      );
    }
    if (this.#expandedBytes > maxExpandedBytes) {
      throw new RejectedInput(
        'TOO_LARGE',
        `The workbook holds more than ${maxExpandedBytes} bytes. Split it and upload the parts one by one.`,
      );
    }
  }
}

function addPart(parts: Map<string, ArchivePart>, entry: Entry): void {
  if (entry.fileName.length > MAX_NAME_CHARACTERS) return;
  const name = entry.fileName.toLowerCase();
  // Programs differ in which of two parts they read, so a program that checks the file could see another one.
  if (parts.has(name)) throw damaged(`it has two parts "${entry.fileName}"`);
  parts.set(name, {
    headerOffset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    method: entry.compressionMethod,
    flags: entry.generalPurposeBitFlag,
    crc: entry.crc32,
  });
}
