/** Turns the bytes of one JSONL chunk into elements. */
import { LF, storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { RecordRange } from '../text/record-range.js';
import { describeRepeated, parseExactJson } from './exact-json.js';
import { describeJsonFault } from './json-fault.js';

/** One line of a JSONL file, or one element of a JSON array. */
export interface JsonRow {
  readonly row: number;
  /** The line itself. */
  readonly text: string;
  /**
   * The value of the line, an object or not, with WrittenNumbers where a double would change a number; undefined when it
   * is not JSON. Repeated members are absent.
   */
  readonly element: unknown;
  /** Why the row fails: it is not JSON, or an object in it has a member more than once. */
  readonly problem: RowProblem | null;
  /** The members of the row in which one is repeated, and so absent; none: no such member. */
  readonly incomplete?: ReadonlySet<string>;
}

const SHOWN_VALUE = 200;

/**
 * Parses complete lines, as planSource cut them, one by one, so that an element need not stay in memory until the last
 * is read. Lines that hold only white space are not rows, but count as row numbers. An element that is not an object
 * has no problem here: the row builder knows what it expects. Characters that the database refuses (NUL, lone
 * surrogates) are checked by the writer, not here.
 */
export function* jsonRows(bytes: Buffer, options: { readonly firstRow: number }): Generator<JsonRow> {
  for (const { row, text } of jsonLines(bytes, options.firstRow)) yield parseJsonRow(row, text);
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

/** The places of all lines of a chunk, with their line ends, blank ones included. */
export function* jsonRecords(bytes: Buffer, firstRow: number): Generator<RecordRange> {
  for (let start = 0, row = firstRow; start < bytes.length; row += 1) {
    const newline = bytes.indexOf(LF, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    yield { start, end, row, isBlank: isBlankLine(bytes.toString('latin1', start, newline < 0 ? end : newline)) };
    start = end;
  }
}

/** Whether a line holds nothing but JSON white space. */
export function isBlankLine(line: string): boolean {
  return line.length === 0 || (line.charCodeAt(0) <= 0x20 && /^[ \t\r]*$/.test(line));
}

/** Parses one row. Its problem, if it has one, is that it is not JSON or repeats members. */
export function parseJsonRow(row: number, text: string): JsonRow {
  try {
    const { value, repeated } = parseExactJson(text);
    const [first] = repeated;
    if (first === undefined) return { row, text, element: value, problem: null };
    const message = `the row has members that are given more than once, and only one value of each could be stored: ${describeRepeated(repeated)}; give each once`;
    const problem = { code: 'DUPLICATE_MEMBER', column: storable(first.name, 255), message } as const;
    const incomplete = new Set(repeated.map(({ within }) => within.split(/[.[]/)[0] ?? ''));
    return { row, text, element: value, problem, incomplete };
  } catch {
    const problem: RowProblem = {
      code: 'ROW_NOT_OBJECT',
      column: null,
      message: `Row ${row} is not valid JSON: ${describeJsonFault(text)}. Write one whole JSON object for each row.`,
      value: text.trim().slice(0, SHOWN_VALUE),
    };
    return { row, text, element: undefined, problem };
  }
}
