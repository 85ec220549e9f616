/** The lines of the copy of a mapped table, as bytes, with their chunks, and behind each chunk its rows as the source has them. */
import { LF } from '../../kernel/characters.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import { SourceBlock } from './source-block.js';

const FIRST_BYTES = 512 * 1024;
/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const MOST_BYTES_OF_A_UNIT = 3;

export class MappedLines {
  readonly cutter: ChunkCutter;
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #filled = 0;
  /** Offset in the copy of the first of these bytes. */
  #base = 0;
  /** Number of the row that was written last; 0: none was. */
  #lastRow = 0;
  /** What the source has of the rows of the present chunk. */
  readonly #source = new SourceBlock();
  /** How many bytes of the copy are blocks of the source. */
  #sourceBytes = 0;

  readonly #limits: SourceLimits;

  constructor(limits: SourceLimits) {
    this.#limits = limits;
    this.cutter = new ChunkCutter(limits);
  }

  /** The number of bytes that were not taken yet. */
  get pending(): number {
    return this.#filled;
  }

  /** The bytes to write a line to, between `at` and `limit`. They are other ones after each call. */
  target: Buffer = this.#bytes;
  at = 0;
  limit = 0;

  /** Makes room for the line of a row, which `end` adds. @param bytes how many it may need */
  begin(row: number, bytes: number): void {
    const blank = this.#lastRow === 0 ? 0 : row - this.#lastRow - 1;
    for (let number = row - blank; number < row; number++) {
      this.#makeRoom(1);
      this.#end(this.#filled, number, false);
    }
    this.#makeRoom(bytes + 1);
    // Should the line be left out after all, the blank lines before it are not written again.
    if (blank > 0) this.#lastRow = row - 1;
    this.target = this.#bytes;
    this.at = this.#filled;
    this.limit = this.#bytes.length - 1;
  }

  /** Ends the line that was written up to `end`. @throws RejectedInput */
  end(row: number, end: number): void {
    const { maxRowBytes } = this.#limits;
    if (end - this.at > maxRowBytes) throw tooLong(row, maxRowBytes);
    this.#filled = end;
    this.#end(this.at, row, true);
    this.#lastRow = row;
  }

  /**
   * Adds the line of a row. Rows that are left out become blank lines, so that the others keep the numbers that they have
   * in the source.
   * @throws RejectedInput
   */
  add(row: number, line: string): void {
    this.begin(row, line.length * MOST_BYTES_OF_A_UNIT);
    this.end(row, this.at + this.target.write(line, this.at, 'utf8'));
  }

  /** Adds what the source has of the row that was ended last, by its bytes. */
  addSource(row: number, source: Buffer, start: number, end: number): void {
    this.#source.add(row, source, start, end);
  }

  addSourceText(row: number, text: string): void {
    this.#source.addText(row, text);
  }

  /** Closes the last chunk. */
  finish(): void {
    this.cutter.cut();
    this.#insertSource(this.#filled);
  }

  /** Returns the bytes since the last call. The next line takes their place. @throws RejectedInput TOO_LARGE */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#filled);
    this.#base += this.#filled;
    this.#filled = 0;
    const { maxBytes } = this.#limits;
    if (this.#base - this.#sourceBytes > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  }

  #end(start: number, row: number, isRow: boolean): void {
    this.#bytes[this.#filled] = LF;
    this.#filled += 1;
    let from = start;
    const isFull = this.cutter.isFullFor(this.#base + this.#filled, isRow);
    if (isFull || this.#source.length > this.#limits.chunkBytes) {
      this.cutter.cut();
      from += this.#insertSource(start);
    }
    this.cutter.addLine(this.#base + from, this.#base + this.#filled, row, isRow);
  }

  /** Inserts the block of the chunk that was closed. @returns its length */
  #insertSource(at: number): number {
    const { length } = this.#source;
    this.#makeRoom(length);
    this.#bytes.copyWithin(at + length, at, this.#filled);
    this.#source.moveTo(this.#bytes, at);
    this.#filled += length;
    this.#sourceBytes += length;
    return length;
  }

  #makeRoom(bytes: number): void {
    if (this.#filled + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.#filled + bytes) * 2);
    this.#bytes.copy(larger, 0, 0, this.#filled);
    this.#bytes = larger;
  }
}

function tooLong(row: number, maxBytes: number): RejectedInput {
  const message = `Row ${row} is longer than ${maxBytes} bytes after the profile was applied to it. Shorten its texts.`;
  return new RejectedInput('ROW_TOO_LONG', message, { row });
}

function tooLarge(maxBytes: number): RejectedInput {
  const message = `The rows are longer than ${maxBytes} bytes after the profile was applied to them. Split the file and upload the parts one by one.`;
  return new RejectedInput('TOO_LARGE', message);
}
