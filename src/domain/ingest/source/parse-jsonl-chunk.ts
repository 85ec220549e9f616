/** Turns the bytes of one JSONL chunk into elements. */
import type { RowProblem } from '../row-problem.js';

/** One line of a JSONL file, or one element of a JSON array. */
export interface JsonRow {
  readonly row: number;
  /** What the line holds; undefined when it is not JSON. */
  readonly element: unknown;
  readonly problem: RowProblem | null;
}

export function parseJsonlChunk(_bytes: Buffer, _options: { readonly firstRow: number }): JsonRow[] {
  throw new Error('parseJsonlChunk is being written');
}
