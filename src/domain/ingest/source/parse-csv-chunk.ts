/** Turns the bytes of one CSV or TSV chunk into rows of cells. */
import type { RowProblem } from '../row-problem.js';

/** One record of a CSV file. */
export interface CsvRow {
  readonly row: number;
  /** The cells' text. In a row with a problem: what could be read, for the error file. */
  readonly cells: string[];
  readonly problem: RowProblem | null;
}

export interface CsvChunkOptions {
  readonly delimiter: string;
  /** How many cells a row must have: the header's. */
  readonly columns: number;
  /** Number of the first line of the bytes. */
  readonly firstRow: number;
  /** The header's cells, so that a problem can name its column. */
  readonly headerCells?: readonly string[] | undefined;
}

export function parseCsvChunk(_bytes: Buffer, _options: CsvChunkOptions): CsvRow[] {
  throw new Error('parseCsvChunk is being written');
}
