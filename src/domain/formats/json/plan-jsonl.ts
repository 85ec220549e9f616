/** The two passes over a JSONL text, be it an upload or the spool of a JSON array. */
import { RejectedInput } from '../../kernel/rejected-input.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { SourceInput } from '../source-contract.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import type { TextEncoding } from '../text/text-encoding.js';
import { nestsDeeperThan } from './json-depth.js';
import { JsonKeyFinder } from './json-key-finder.js';
import { JsonLineReader } from './json-line-reader.js';
import { isBlankLine } from './parse-jsonl-chunk.js';

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
      // That a line is JSON at all is to be seen of one, by parsing it.
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
      const key = this.#input.keyOf(JSON.parse(text));
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
    if (key !== null && keys.isCandidate(key)) keys.record(row, key, input.standing);
  });
}

function finderOf({ keyField, limits }: SourceInput): JsonKeyFinder | null {
  return keyField === null || limits.maxDepth <= JsonKeyFinder.MOST_LEVELS ? null : new JsonKeyFinder(keyField);
}

/** A line that is no JSON has no key. */
function keyOfLine(input: SourceInput, text: string): string | null {
  try {
    return input.keyOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
