/**
 * The texts that the cells of a workbook share, by their number. They are in memory while they are few, else in a
 * scratch file whose most recently used blocks are cached. Programs number texts in the order of the cells, so few
 * blocks suffice.
 */

import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import type { ScratchFile } from '../../../../platform/file-store.js';
import { MAX_CELL_CHARACTERS } from '../cell.js';
import { type ElementHandler, ElementReader } from './element-reader.js';
import { mayBeEscaped, unescapeCellText } from './escaped-text.js';
import { resolveReferences } from './plain-xml.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { cellTooLong, tooComplex } from './workbook-problem.js';
import { textOfBytes, xmlBytes } from './xml-bytes.js';
import type { ZipArchive } from './zip-archive.js';

/** Texts of one block, which is read from the scratch file at once. */
const BLOCK_STRINGS = 64;
/** What a text costs besides its characters. */
const CHARACTERS_PER_STRING = 16;
/** Characters of all texts up to which they stay in memory. */
const CHARACTERS_IN_MEMORY = 4 * 1024 * 1024;
/** Characters of blocks that are kept after they were read. */
const CACHED_CHARACTERS = 4 * 1024 * 1024;

export class SharedStrings {
  count = 0;
  #characters = 0;
  #block: string[] = [];
  /** The blocks that are in memory from the start. */
  readonly #resident: string[][] = [];
  /** Where each later block begins in the scratch file, and at the end where the last ends. */
  readonly #offsets: number[] = [0];
  /** Blocks read from the scratch file; the ones used last are at the end. */
  readonly #cache = new Map<number, string[]>();
  #cachedCharacters = 0;
  #scratch: ScratchFile | null = null;

  readonly #createScratch: () => Promise<ScratchFile>;
  readonly #limits: WorkbookLimits;

  constructor(createScratch: () => Promise<ScratchFile>, limits: WorkbookLimits) {
    this.#createScratch = createScratch;
    this.#limits = limits;
  }

  /** Reads the part that holds the texts. @throws RejectedInput */
  async load(archive: ZipArchive, part: string, pacer: EventLoopPacer): Promise<void> {
    const reader = new ElementReader(
      new StringHandler((text) => this.#add(text)),
      { container: 'sst', closing: '</si>' },
      this.#limits,
    );
    for await (const text of xmlBytes(archive.read(part))) {
      if (this.#scratch === null && this.#characters > CHARACTERS_IN_MEMORY / 2)
        this.#scratch = await this.#createScratch();
      reader.write(text);
      await pacer.pause();
    }
    reader.finish();
    if (this.#block.length > 0) this.#closeBlock();
  }

  /** The text as a string of bytes; undefined when there is none with this number. */
  get(index: number): string | undefined {
    const block = Math.floor(index / BLOCK_STRINGS);
    const strings = this.#resident[block] ?? this.#cached(block - this.#resident.length);
    return strings?.[index % BLOCK_STRINGS];
  }

  close(): void {
    this.#scratch?.close();
    this.#scratch = null;
  }

  #add(text: string): void {
    if (text.length > MAX_CELL_CHARACTERS && isTooLong(text)) throw cellTooLong(0, '');
    this.count += 1;
    if (this.count > this.#limits.maxSharedStrings) {
      throw tooComplex(`The workbook shares more than ${this.#limits.maxSharedStrings} texts between its cells`);
    }
    this.#characters += text.length + CHARACTERS_PER_STRING;
    this.#block.push(text);
    if (this.#block.length === BLOCK_STRINGS) this.#closeBlock();
  }

  #closeBlock(): void {
    const scratch = this.#scratch;
    const block = this.#block;
    this.#block = [];
    if (scratch === null || (this.#characters <= CHARACTERS_IN_MEMORY && this.#offsets.length === 1)) {
      // Slices would keep the whole text that they were cut from in memory.
      this.#resident.push(unpacked(packed(block)));
      return;
    }
    scratch.append(packed(block));
    this.#offsets.push(scratch.size);
  }

  #cached(block: number): string[] | undefined {
    const known = this.#cache.get(block);
    const start = this.#offsets[block];
    const end = this.#offsets[block + 1];
    if (start === undefined || end === undefined || this.#scratch === null) return undefined;
    const strings = known ?? unpacked(this.#scratch.read(start, end));
    if (known !== undefined) this.#cache.delete(block);
    else this.#makeRoom(end - start);
    this.#cache.set(block, strings);
    return strings;
  }

  #makeRoom(bytes: number): void {
    this.#cachedCharacters += bytes + BLOCK_STRINGS * CHARACTERS_PER_STRING;
    for (const oldest of this.#cache.keys()) {
      if (this.#cachedCharacters <= CACHED_CHARACTERS) return;
      this.#cache.delete(oldest);
      this.#cachedCharacters -= (this.#offsets[oldest + 1] ?? 0) - (this.#offsets[oldest] ?? 0);
      this.#cachedCharacters -= BLOCK_STRINGS * CHARACTERS_PER_STRING;
    }
  }
}

/** @param bytes the text as a string of bytes. */
export function isTooLong(bytes: string): boolean {
  const text = textOfBytes(bytes);
  return (mayBeEscaped(text) ? unescapeCellText(text) : text).length > MAX_CELL_CHARACTERS;
}

const COUNT_BYTES = 4;

/** A block as bytes: the number of texts, the length of each, and all of them. */
function packed(strings: readonly string[]): Buffer {
  const head = Buffer.alloc((1 + strings.length) * COUNT_BYTES);
  head.writeUInt32LE(strings.length);
  for (const [index, string] of strings.entries()) head.writeUInt32LE(string.length, (1 + index) * COUNT_BYTES);
  return Buffer.concat([head, Buffer.from(strings.join(''), 'latin1')]);
}

function unpacked(bytes: Buffer): string[] {
  const count = bytes.readUInt32LE();
  const text = bytes.toString('latin1', (1 + count) * COUNT_BYTES);
  const strings: string[] = [];
  for (let index = 0, at = 0; index < count; index += 1) {
    const length = bytes.readUInt32LE((1 + index) * COUNT_BYTES);
    strings.push(text.slice(at, at + length));
    at += length;
  }
  return strings;
}

const PLAIN = '<si><t>';
const KEPT = '<si><t xml:space="preserve">';
const CLOSING = '</t></si>';
/** An escaped character is written as up to seven characters. */
const MAX_WRITTEN_CHARACTERS = 7 * MAX_CELL_CHARACTERS;

class StringHandler implements ElementHandler {
  readonly #path: string[] = [];
  #value = '';
  #collecting = false;

  readonly #onString: (text: string) => void;

  constructor(onString: (text: string) => void) {
    this.#onString = onString;
  }

  scan(text: string, start: number, end: number): boolean {
    let from = -1;
    if (text.startsWith(PLAIN, start)) from = start + PLAIN.length;
    else if (text.startsWith(KEPT, start)) from = start + KEPT.length;
    const close = end - CLOSING.length;
    if (from < 0 || close < from || text.indexOf('<', from) !== close || !text.startsWith(CLOSING, close)) return false;
    const written = text.slice(from, close);
    const string = written.includes('&') ? resolveReferences(written) : written;
    if (string === null) return false;
    this.#onString(string);
    return true;
  }

  open(name: string): void {
    this.#path.push(name);
    const within = this.#path.join('/');
    if (within === 'si') this.#value = '';
    this.#collecting = within === 'si/t' || within === 'si/r/t';
  }

  close(name: string): void {
    this.#path.pop();
    this.#collecting = false;
    if (this.#path.length === 0 && name === 'si') this.#onString(this.#value);
  }

  text(text: string): void {
    if (!this.#collecting) return;
    this.#value += text;
    if (this.#value.length > MAX_WRITTEN_CHARACTERS) throw cellTooLong(0, '');
  }
}
