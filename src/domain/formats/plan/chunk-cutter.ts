/** Cuts a body into chunks at line boundaries. */
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import type { ChunkPlan } from '../model/source-plan.js';

export class ChunkCutter {
  readonly chunks: ChunkPlan[] = [];
  totalRows = 0;
  #lines = 0;
  #byteStart = 0;
  #byteEnd = 0;
  #firstRow = 0;
  #rowCount = 0;
  #lineCount = 0;

  readonly #limits: SourceLimits;

  constructor(limits: SourceLimits) {
    this.#limits = limits;
  }

  /**
   * Adds the next complete line of the body.
   * @param start offset of its first byte.
   * @param next offset of the byte after its line end.
   * @param row its number.
   * @param isRow false for a blank line.
   */
  addLine(start: number, next: number, row: number, isRow: boolean): void {
    if (this.isFullFor(next, isRow)) this.cut();
    if (this.#lineCount === 0) {
      this.#byteStart = start;
      this.#firstRow = row;
    }
    this.#lines += 1;
    this.#lineCount += 1;
    this.#byteEnd = next;
    if (isRow) {
      this.#rowCount += 1;
      this.totalRows += 1;
    }
    if (this.#lines > this.#limits.maxRows) {
      throw new RejectedInput(
        'TOO_MANY_ROWS',
        `The file has more than ${this.#limits.maxRows} rows. Split it and upload the parts one by one.`,
      );
    }
  }

  /** Whether the chunk is closed before a line: see addLine. */
  isFullFor(next: number, isRow: boolean): boolean {
    if (this.#lineCount === 0) return false;
    return (isRow && this.#rowCount >= this.#limits.chunkRows) || next - this.#byteStart > this.#limits.chunkBytes;
  }

  /** Closes the chunk, which the last one needs as well; blank lines alone are not one. */
  cut(): void {
    if (this.#rowCount > 0) {
      const byteStart = this.#byteStart;
      const byteEnd = this.#byteEnd;
      const firstRow = this.#firstRow;
      const rowCount = this.#rowCount;
      const lineCount = this.#lineCount;
      this.chunks.push({ byteStart, byteEnd, firstRow, rowCount, lineCount, duplicates: [] });
    }
    this.#rowCount = 0;
    this.#lineCount = 0;
  }
}
