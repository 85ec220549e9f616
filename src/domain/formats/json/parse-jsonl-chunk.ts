/** Turns the bytes of one JSONL chunk into elements. */
import type { RowProblem } from '../../kernel/row-problem.js';

/** One line of a JSONL file, or one element of a JSON array. */
export interface JsonRow {
  readonly row: number;
  /** The line itself. */
  readonly text: string;
  /** What the line holds, an object or not; undefined when it is not JSON. */
  readonly element: unknown;
  readonly problem: RowProblem | null;
}

const SHOWN_VALUE = 200;

/**
 * Parses whole lines, as planSource cut them, one by one: an element that has been read need not stay in memory until the
 * last is. Lines of white space only are no rows, but take a row number.
 * An element that is no object has no problem here: the row builder knows what it expects.
 * Texts are not checked for what the database refuses (NUL, lone surrogates): that is the writer's part.
 */
export function* jsonRows(bytes: Buffer, options: { readonly firstRow: number }): Generator<JsonRow> {
  for (const { row, text } of jsonLines(bytes, options.firstRow)) yield parseLine(row, text);
}

/** The lines of a chunk that are not blank, with their numbers. */
export function* jsonLines(bytes: Buffer, firstRow: number): Generator<{ row: number; text: string }> {
  const text = bytes.toString('utf8');
  let row = firstRow;
  for (let at = 0; at < text.length; row += 1) {
    const newline = text.indexOf('\n', at);
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(at, stop);
    at = stop + 1;
    if (!isBlankLine(line)) yield { row, text: line };
  }
}

/** Whether a line holds nothing but JSON white space. */
export function isBlankLine(line: string): boolean {
  return line.length === 0 || (line.charCodeAt(0) <= 0x20 && /^[ \t\r]*$/.test(line));
}

function parseLine(row: number, text: string): JsonRow {
  try {
    return { row, text, element: JSON.parse(text), problem: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem: RowProblem = {
      code: 'ROW_NOT_OBJECT',
      column: null,
      message: `Row ${row} is not valid JSON: ${reason}. Write one whole JSON object for each row.`,
      value: text.trim().slice(0, SHOWN_VALUE),
    };
    return { row, text, element: undefined, problem };
  }
}
