/** Bytes that can be read at any position: a workbook has its directory at its end. */

export interface RandomAccess {
  readonly size: number;
  /** Bytes [start, end), or fewer at the end. */
  readRange(start: number, end: number): Promise<Buffer>;
}
