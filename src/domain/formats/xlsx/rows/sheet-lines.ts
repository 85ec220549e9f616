/** The lines of a sheet's normalised copy, as bytes, until they are taken. */
import { LF } from '../../../kernel/characters.js';

const FIRST_LINES_BYTES = 256 * 1024;

export class SheetLines {
  /**
   * Lines that were not taken yet. Each line is written when it is complete, so that its texts are released with their
   * row.
   */
  #lines: Buffer = Buffer.allocUnsafe(FIRST_LINES_BYTES);
  #filled = 0;
  #writtenRow = 0;

  /** The number of bytes of the lines that were not taken yet. */
  get bytes(): number {
    return this.#filled;
  }

  /** Returns the lines since the last call, as UTF-8. */
  take(): Buffer {
    const bytes = Buffer.from(this.#lines.subarray(0, this.#filled));
    this.#filled = 0;
    return bytes;
  }

  /**
   * Writes the line of a row. Rows that are blank or missing become blank lines, so that line numbers are those of the
   * sheet.
   */
  write(row: number, line: string): void {
    const blank = row - this.#writtenRow - 1;
    this.#writtenRow = row;
    this.#makeRoom(blank + line.length + 1);
    this.#lines.fill(LF, this.#filled, this.#filled + blank);
    this.#filled += blank;
    this.#filled += this.#lines.write(line, this.#filled, 'latin1');
    this.#lines[this.#filled] = LF;
    this.#filled += 1;
  }

  #makeRoom(bytes: number): void {
    if (this.#filled + bytes <= this.#lines.length) return;
    const larger = Buffer.allocUnsafe((this.#filled + bytes) * 2);
    this.#lines.copy(larger, 0, 0, this.#filled);
    this.#lines = larger;
  }
}
