/** Bytes that can be read at any place: a workbook begins with its end. */

export interface RandomAccess {
  readonly size: number;
  /** Bytes [start, end), fewer where there are fewer. */
  readRange(start: number, end: number): Promise<Buffer>;
}
