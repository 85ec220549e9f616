/** The two passes over a JSONL text, which is an upload or the spool of a JSON array. */
import { RejectedInput } from '../../kernel/rejected-input.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { storable } from '../../kernel/storable-text.js';
import { rowTooLong } from '../csv/csv-record-reader.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { SourceInput, SourceLimits } from '../source-contract.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import type { TextEncoding } from '../text/text-encoding.js';
import { invalidEncoding } from '../text/text-encoding.js';
import { describeRepeated, parseExactJson, parseForKey } from './exact-json.js';
import { JsonKeyFinder } from './json-key-finder.js';
import { JsonTokenizer, MARK } from './json-tokenizer.js';

// Reads the lines of a JSONL body one after the other.

const LF = 0x0a;

/**
 * Is called for each line, including blank ones.
 * @param start,stop the position of the line in the window's bytes, without its line end.
 * @param next where the next line begins there.
 */
type OnJsonLine = (window: RecordWindow, row: number, start: number, stop: number, next: number) => void;

class JsonLineReader implements RecordReader {
  readonly #limits: SourceLimits;
  readonly #encoding: TextEncoding;
  #row: number;
  readonly #onLine: OnJsonLine;

  constructor(limits: SourceLimits, encoding: TextEncoding, row: number, onLine: OnJsonLine) {
    this.#limits = limits;
    this.#encoding = encoding;
    this.#row = row;
    this.#onLine = onLine;
  }

  read(window: RecordWindow, final: boolean): void {
    const { bytes, end } = window;
    let at = window.start;
    while (at < end) {
      const newline = bytes.indexOf(LF, at);
      if (newline < 0 && !final) break;
      const stop = newline < 0 ? end : newline;
      const next = newline < 0 ? end : newline + 1;
      if (stop - at > this.#limits.maxRowBytes) throw rowTooLong(this.#row, this.#limits);
      if (!window.isValid(at, next)) throw invalidEncoding(this.#row, this.#encoding);
      this.#onLine(window, this.#row, at, stop, next);
      at = next;
      this.#row += 1;
    }
    window.start = at;
    if (end - at > this.#limits.maxRowBytes) throw rowTooLong(this.#row, this.#limits);
  }
}

export class JsonlPlanReader implements RecordReader {
  readonly cutter: ChunkCutter;
  readonly #lines: JsonLineReader;
  #readableRows = 0;
  #firstFault = '';

  readonly #input: SourceInput;
  readonly #keys: DuplicateKeys;

  constructor(input: SourceInput, encoding: TextEncoding, keys: DuplicateKeys) {
    this.#input = input;
    this.#keys = keys;
    this.cutter = new ChunkCutter(input.limits);
    const finder = finderOf(input);
    this.#lines = new JsonLineReader(input.limits, encoding, 1, ({ bytes, base }, row, start, stop, next) => {
      // Lines are parsed until one is valid, so that a file without any JSON is refused.
      if (this.#readableRows > 0 && finder?.find(bytes, start, stop)) {
        this.cutter.addLine(base + start, base + next, row, true);
        this.#keys.noteBytes(bytes, finder.start, finder.end);
        return;
      }
      const text = bytes.toString('utf8', start, stop);
      const blank = isBlankLine(text);
      this.cutter.addLine(base + start, base + next, row, !blank);
      if (blank) return;
      if (nestsDeeperThan(bytes, start, stop, input.limits.maxDepth - 1)) throw this.#tooDeep(row);
      this.#noteLine(text, row);
    });
  }

  read(window: RecordWindow, final: boolean): void {
    this.#lines.read(window, final);
    if (!final) return;
    this.cutter.finish();
    if (this.cutter.totalRows > 0 && this.#readableRows === 0) {
      throw new RejectedInput('NOT_JSON', `No line of the file is JSON. ${this.#firstFault}`);
    }
  }

  #noteLine(text: string, row: number): void {
    try {
      const key = this.#input.keyOf(parseForKey(text, this.#input.keyField));
      this.#readableRows += 1;
      if (key !== null) this.#keys.note(key);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      if (this.#firstFault === '') this.#firstFault = this.#describeFault(text, row, error);
    }
  }

  #tooDeep(row: number): RejectedInput {
    const message = `Row ${row} nests deeper than ${this.#input.limits.maxDepth - 1} levels.`;
    return new RejectedInput('TOO_DEEP', message, { row });
  }

  #describeFault(text: string, row: number, error: SyntaxError): string {
    if (this.#readableRows === 0 && text.trimStart().startsWith('[')) {
      throw new RejectedInput(
        'WRONG_FORMAT',
        "The file's name says JSONL, but the file looks like a JSON array. Let its name end in .json, or write one object a line.",
        { row },
      );
    }
    return `Row ${row}: ${error.message}.`;
  }
}

/**
 * The reader of the second pass over a JSONL body.
 * @param firstRow number of the first line of the first chunk.
 */
export function jsonDuplicatesReader(input: SourceInput, keys: DuplicateKeys, firstRow: number): RecordReader {
  const finder = finderOf(input);
  return new JsonLineReader(input.limits, 'utf-8', firstRow, ({ bytes }, row, start, stop) => {
    if (finder?.find(bytes, start, stop) && !keys.isCandidateBytes(bytes, finder.start, finder.end)) return;
    const text = bytes.toString('utf8', start, stop);
    if (isBlankLine(text)) return;
    const key = keyOfLine(input, text);
    if (key !== null && keys.isCandidate(key)) keys.record(row, key, input.winner);
  });
}

function finderOf({ keyField, limits }: SourceInput): JsonKeyFinder | null {
  return keyField === null || limits.maxDepth <= JsonKeyFinder.MOST_LEVELS ? null : new JsonKeyFinder(keyField);
}

/** A line that is not JSON has no key. */
function keyOfLine(input: SourceInput, text: string): string | null {
  try {
    return input.keyOf(parseForKey(text, input.keyField));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

// Checks how deep a JSON text nests before it is parsed.

/** Whether arrays and objects in a range of bytes nest deeper than `levels`; the bytes need not be valid JSON. */
function nestsDeeperThan(bytes: Buffer, start: number, stop: number, levels: number): boolean {
  const tokens = new JsonTokenizer(bytes);
  tokens.enter(start, stop);
  let depth = 0;
  for (let mark = tokens.mark(); mark !== MARK.end && mark !== MARK.cut; mark = tokens.mark()) {
    if (mark === MARK.open) {
      depth += 1;
      if (depth > levels) return true;
    } else if (mark === MARK.close) depth -= 1;
  }
  return false;
}

// Turns the bytes of one JSONL chunk into elements.

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

/** Whether a line holds nothing but JSON white space. */
function isBlankLine(line: string): boolean {
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
    return { row, text, element: value, problem };
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
