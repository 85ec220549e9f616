/** The two passes over a JSONL text, which is an upload or the spool of a JSON array. */
import { LF } from '../../kernel/characters.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceInput } from '../model/source-input.js';
import type { SourceLimits } from '../model/source-limits.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import { invalidEncoding } from '../text/detect-encoding.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { rowTooLong } from '../text/row-too-long.js';
import { parseForKey } from './exact-json.js';
import { describeJsonFault } from './json-fault.js';
import { JsonKeyFinder } from './json-key-finder.js';
import { isBlankLine } from './json-rows.js';
import { nestsDeeperThan } from './nesting.js';

/**
 * Is called for each line, including blank ones.
 * @param start,stop the position of the line in the window's bytes, without its line end.
 * @param next where the next line begins there.
 */
type OnJsonLine = (window: RecordWindow, row: number, start: number, stop: number, next: number) => void;

/** Reads the lines of a JSONL body one after the other. */
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
    this.cutter.cut();
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
      if (this.#firstFault === '') this.#firstFault = this.#describeFault(text, row);
    }
  }

  #tooDeep(row: number): RejectedInput {
    const message = `Row ${row} nests deeper than ${this.#input.limits.maxDepth - 1} levels.`;
    return new RejectedInput('TOO_DEEP', message, { row });
  }

  #describeFault(text: string, row: number): string {
    if (this.#readableRows === 0 && text.trimStart().startsWith('[')) {
      throw new RejectedInput(
        'WRONG_FORMAT',
        "The file's name says JSONL, but the file looks like a JSON array. Let its name end in .json, or write one object a line.",
        { row },
      );
    }
    return `Row ${row}: ${describeJsonFault(text)}.`;
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
