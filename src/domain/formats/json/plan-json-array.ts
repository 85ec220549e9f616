/** The first pass over a JSON array: writes its elements to the spool, one on each line, and plans those lines. */
import { LF, SPACE, VERTICAL_TAB } from '../../kernel/characters.js';
import type { SourceInput } from '../model/source-input.js';
import { ChunkCutter } from '../plan/chunk-cutter.js';
import type { DuplicateKeys } from '../plan/duplicate-keys.js';
import type { SpoolWriter } from '../plan/spool-writer.js';
import { invalidEncoding } from '../text/detect-encoding.js';
import type { TextEncoding } from '../text/encoding-names.js';
import type { RecordReader } from '../text/read-records.js';
import type { RecordWindow } from '../text/record-window.js';
import { rowTooLong } from '../text/row-too-long.js';
import { parseForKey } from './exact-json.js';
import { JsonArrayScanner } from './json-array-scanner.js';
import { JsonTokenizer } from './json-tokenizer.js';
import { MARK } from './json-tokens.js';

/** Replaces a line feed inside a JSON text and is just as invalid there, so that the element still fails. */
const LINE_END = Buffer.from('\n');

export class JsonArrayPlanReader implements RecordReader {
  readonly cutter: ChunkCutter;
  readonly #scanner: JsonArrayScanner;
  #scannedTo = 0;
  #row = 0;
  #spoolBytes = 0;

  readonly #input: SourceInput;
  readonly #encoding: TextEncoding;
  readonly #keys: DuplicateKeys;
  readonly #spool: SpoolWriter;

  constructor(input: SourceInput, encoding: TextEncoding, keys: DuplicateKeys, spool: SpoolWriter) {
    this.#input = input;
    this.#encoding = encoding;
    this.#keys = keys;
    this.#spool = spool;
    const { maxRows, maxDepth } = input.limits;
    this.cutter = new ChunkCutter(input.limits);
    this.#scanner = new JsonArrayScanner({ maxElements: maxRows, maxDepth });
  }

  async read(window: RecordWindow, final: boolean): Promise<void> {
    const scanner = this.#scanner;
    scanner.scan(window.bytes, this.#scannedTo - window.base, window.end, window.base);
    this.#scannedTo = window.base + window.end;
    const lines = this.#takeElements(window);
    window.start = scanner.openStart < 0 ? window.end : scanner.openStart - window.base;
    if (window.pending > this.#input.limits.maxRowBytes) throw rowTooLong(this.#row + 1, this.#input.limits);
    if (lines.length > 0) await this.#spool.write(Buffer.concat(lines));
    if (!final) return;
    scanner.finish(this.#scannedTo);
    this.cutter.cut();
  }

  #takeElements(window: RecordWindow): Buffer[] {
    const { starts, ends } = this.#scanner;
    const lines: Buffer[] = [];
    for (const [index, end] of ends.entries()) {
      const from = (starts[index] as number) - window.base;
      const to = end - window.base;
      this.#row += 1;
      if (to - from > this.#input.limits.maxRowBytes) throw rowTooLong(this.#row, this.#input.limits);
      if (!window.isValid(from, to)) throw invalidEncoding(this.#row, this.#encoding);
      const line = onOneLine(window.bytes.subarray(from, to));
      lines.push(line, LINE_END);
      const next = this.#spoolBytes + line.length + 1;
      this.cutter.addLine(this.#spoolBytes, next, this.#row, true);
      this.#spoolBytes = next;
      this.#noteKey(line);
    }
    starts.splice(0, ends.length);
    ends.length = 0;
    return lines;
  }

  #noteKey(line: Buffer): void {
    let element: unknown;
    try {
      element = parseForKey(line.toString('utf8'), this.#input.keyField);
    } catch {
      // The element fails alone when its chunk is parsed.
      return;
    }
    const key = this.#input.keyOf(element);
    if (key !== null) this.#keys.note(key);
  }
}

/** The element without line feeds: they become spaces, and vertical tabs inside texts. */
function onOneLine(element: Buffer): Buffer {
  if (!element.includes(LF)) return element;
  const line = Buffer.from(element);
  const tokens = new JsonTokenizer(element);
  tokens.enter(0, element.length);
  let outside = 0;
  for (let mark = tokens.mark(); mark !== MARK.end; mark = tokens.mark()) {
    if (mark === MARK.open || mark === MARK.close) continue;
    replaceLineFeeds(line, outside, tokens.start, SPACE);
    replaceLineFeeds(line, tokens.start, tokens.at, VERTICAL_TAB);
    outside = tokens.at;
  }
  replaceLineFeeds(line, outside, line.length, SPACE);
  return line;
}

function replaceLineFeeds(line: Buffer, from: number, to: number, byte: number): void {
  for (let at = line.indexOf(LF, from); at >= 0 && at < to; at = line.indexOf(LF, at + 1)) line[at] = byte;
}
