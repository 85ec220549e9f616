/** Opens a ZIP archive, such as that of a workbook, and reads its parts as streams that stop at zip bombs. */
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import type { RandomAccess } from '../../model/random-access.js';
import type { ArchiveWords } from './archive-words.js';
import { BLOCK_BYTES, BlockReader, WatchedSource } from './block-reader.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { WORKBOOK_WORDS } from './workbook-problem.js';

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** Names of parts are short; entries with longer names are ignored. */
const MAX_NAME_CHARACTERS = 400;

type ArchiveLimits = Pick<WorkbookLimits, 'maxEntries' | 'maxExpandedBytes' | 'maxExpansionRatio' | 'ratioFromBytes'>;

/** The position of a part, without the extra data that a hostile archive can add. */
interface ArchivePart {
  /** As it is written. */
  readonly name: string;
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
  readonly #limits: ArchiveLimits;
  readonly #words: ArchiveWords;

  private constructor(
    source: WatchedSource,
    zip: ZipFile,
    parts: ReadonlyMap<string, ArchivePart>,
    limits: ArchiveLimits,
    words: ArchiveWords,
  ) {
    this.#source = source;
    this.#zip = zip;
    this.#parts = parts;
    this.#limits = limits;
    this.#words = words;
  }

  /** @throws RejectedInput WORKBOOK_DAMAGED, WORKBOOK_TOO_COMPLEX. */
  static async open(
    file: RandomAccess,
    limits: ArchiveLimits,
    words: ArchiveWords = WORKBOOK_WORDS,
  ): Promise<ZipArchive> {
    const source = new WatchedSource(file, words.damaged);
    try {
      const options = { lazyEntries: true, autoClose: false };
      const zip = await fromRandomAccessReaderPromise(new BlockReader(source), source.size, options);
      zip.on('error', () => undefined);
      if (zip.entryCount > limits.maxEntries) throw words.tooManyEntries(zip.entryCount);
      const parts = new Map<string, ArchivePart>();
      for await (const entry of zip.eachEntry()) addPart(parts, entry, words);
      return new ZipArchive(source, zip, parts, limits, words);
    } catch (error) {
      throw source.causeOf(error);
    }
  }

  /** The names of its parts, as they are written. */
  get names(): readonly string[] {
    return [...this.#parts.values()].map(({ name }) => name);
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
    if (part === undefined) throw this.#words.damaged(`it has no part "${name}"`);
    if ((part.flags & ENCRYPTED) !== 0) {
      throw this.#words.encrypted();
    }
    if (part.method !== STORED && part.method !== DEFLATED) {
      throw this.#words.damaged(`its part "${name}" is compressed by an unknown method (${part.method})`);
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
    if (bytes !== part.size || crc !== part.crc)
      throw this.#words.damaged(`its part "${name}" is not what its checksum says`);
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
      throw this.#words.expands(maxExpansionRatio);
    }
    if (this.#expandedBytes > maxExpandedBytes) {
      throw this.#words.tooLarge(maxExpandedBytes);
    }
  }
}

function addPart(parts: Map<string, ArchivePart>, entry: Entry, words: ArchiveWords): void {
  if (entry.fileName.length > MAX_NAME_CHARACTERS) return;
  const name = entry.fileName.toLowerCase();
  // Programs differ in which of two parts they read, so a program that checks the file could see another one.
  if (parts.has(name)) throw words.damaged(`it has two parts "${entry.fileName}"`);
  parts.set(name, {
    name: entry.fileName,
    headerOffset: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    size: entry.uncompressedSize,
    method: entry.compressionMethod,
    flags: entry.generalPurposeBitFlag,
    crc: entry.crc32,
  });
}
