/**
 * Reads a JSON document of any size, block by block. What lies outside of the rows is checked as strictly as by JSON.parse,
 * and not kept; a row is handed out as its bytes, so that it can fail alone.
 */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  storable,
} from '../../../kernel/characters.js';
import { isPart } from '../../json/json-bytes.js';
import { JsonTokenizer } from '../../json/json-tokenizer.js';
import { MARK } from '../../json/json-tokens.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceLimits } from '../../model/source-limits.js';
import { invalidEncoding } from '../../text/detect-encoding.js';
import type { TextEncoding } from '../../text/encoding-names.js';
import type { RecordReader } from '../../text/read-records.js';
import type { RecordWindow } from '../../text/record-window.js';
import { rowTooLong } from '../../text/row-too-long.js';
import { EXPECTED, type Expected, endOfText, isSpace, SCALAR } from './json-grammar.js';
import { LineCount } from './line-count.js';
import { MAX_DEPTH, MAX_NAME_CHARACTERS, textTooLong, tooDeep } from './nested-limits.js';

/** Receives what a document consists of. */
export interface JsonHandler {
  /** The number of rows that were handed out; null: none are looked for. */
  readonly rows: number | null;
  /** Whether the value that begins is a row. */
  isRow(isArray: boolean): boolean;
  row(bytes: Buffer, start: number, stop: number): void;
  open(isArray: boolean): void;
  close(): void;
  /** The name of the member whose value comes next. */
  member(name: string): void;
  /** A text, number or word that is no row. */
  scalar(isEmpty: boolean): void;
}

const SHOWN = 20;
export class JsonReader implements RecordReader {
  #expected: Expected = 'value';
  /** Whether each open value is an array. */
  readonly #open: boolean[] = [];
  readonly #tokens = new JsonTokenizer();
  readonly #lines = new LineCount();

  readonly #handler: JsonHandler;
  readonly #limits: SourceLimits;
  readonly #encoding: TextEncoding;

  constructor(handler: JsonHandler, limits: SourceLimits, encoding: TextEncoding) {
    this.#handler = handler;
    this.#limits = limits;
    this.#encoding = encoding;
  }

  /** @throws RejectedInput NOT_JSON, TOO_DEEP, CELL_TOO_LONG, ROW_TOO_LONG, INVALID_ENCODING */
  read(window: RecordWindow, final: boolean): void {
    const { bytes, end } = window;
    let at = window.start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (isSpace(byte)) {
        at += 1;
        continue;
      }
      const next = this.#token(window, at, byte, final);
      if (next < 0) break;
      at = next;
    }
    this.#lines.count(window, at);
    window.start = at;
    if (final && (at < end || this.#expected !== 'nothing')) throw this.#endsEarly(window);
  }

  /** @returns the index after the token; -1 if the window does not hold all of it */
  #token(window: RecordWindow, at: number, byte: number, final: boolean): number {
    switch (this.#expected) {
      case 'value or ]':
        if (byte === CLOSE_ARRAY) return this.#end(at);
        return this.#value(window, at, byte, final);
      case 'value':
        return this.#value(window, at, byte, final);
      case 'name or }':
        if (byte === CLOSE_OBJECT) return this.#end(at);
        return this.#name(window, at, byte);
      case 'name':
        return this.#name(window, at, byte);
      case 'colon':
        if (byte !== COLON) throw this.#fault(window, at);
        this.#expected = 'value';
        return at + 1;
      case 'comma or end': {
        const isArray = this.#open.at(-1) === true;
        if (byte === COMMA) this.#expected = isArray ? 'value' : 'name';
        else if (byte === (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) return this.#end(at);
        else throw this.#fault(window, at);
        return at + 1;
      }
      default:
        throw this.#fault(window, at);
    }
  }

  #value(window: RecordWindow, at: number, byte: number, final: boolean): number {
    const isArray = byte === OPEN_ARRAY;
    if (this.#handler.isRow(isArray)) return this.#row(window, at, byte, final);
    if (isArray || byte === OPEN_OBJECT) {
      this.#handler.open(isArray);
      this.#open.push(isArray);
      if (this.#open.length > MAX_DEPTH) throw tooDeep('The document');
      this.#expected = isArray ? 'value or ]' : 'name or }';
      return at + 1;
    }
    const stop = this.#scalar(window, at, byte, final);
    if (stop < 0) return stop;
    this.#handler.scalar(stop - at <= 2 || window.bytes[at] === 0x6e);
    this.#ended();
    return stop;
  }

  /** The index after a text, number or word; -1 if it may go on. */
  #scalar(window: RecordWindow, at: number, byte: number, final: boolean): number {
    if (byte === QUOTE) {
      const stop = this.#endOfText(window, at);
      if (stop >= 0) this.#text(window, at, stop);
      return stop;
    }
    const stop = this.#endOfWord(window, at);
    if (stop === window.end && !final) return -1;
    if (!SCALAR.test(window.bytes.toString('latin1', at, stop))) throw this.#fault(window, at);
    return stop;
  }

  #endOfWord({ bytes, end }: RecordWindow, at: number): number {
    let stop = at;
    while (stop < end && isPart(bytes[stop] as number)) stop += 1;
    if (stop - at > this.#limits.maxCellBytes) throw this.#tooLong();
    return stop;
  }

  #name(window: RecordWindow, at: number, byte: number): number {
    if (byte !== QUOTE) throw this.#fault(window, at);
    const stop = this.#endOfText(window, at);
    if (stop < 0) return stop;
    const name = this.#text(window, at, stop);
    if (name.length > MAX_NAME_CHARACTERS) {
      const message = `The name of a member, ${storable(JSON.stringify(name), SHOWN)}, is longer than ${MAX_NAME_CHARACTERS} characters. Shorten it.`;
      throw new RejectedInput('TOO_MANY_COLUMNS', message);
    }
    this.#handler.member(name);
    this.#expected = 'colon';
    return stop;
  }

  #endOfText({ bytes, end }: RecordWindow, at: number): number {
    const stop = endOfText(bytes, at, end);
    if ((stop < 0 ? end : stop) - at > this.#limits.maxCellBytes) throw this.#tooLong();
    return stop;
  }

  #text(window: RecordWindow, at: number, stop: number): string {
    if (!window.isValid(at, stop)) throw invalidEncoding((this.#handler.rows ?? 0) + 1, this.#encoding);
    try {
      return JSON.parse(window.bytes.toString('utf8', at, stop)) as string;
    } catch {
      const message = 'the text has a control character, or an escape that JSON does not know';
      throw this.#notJson(window, at, message);
    }
  }

  /** A row is read again from its start until it is complete; the window asks only when it has doubled. */
  #row(window: RecordWindow, at: number, byte: number, final: boolean): number {
    const stop =
      byte === OPEN_OBJECT || byte === OPEN_ARRAY
        ? this.#endOfNested(window, at)
        : this.#scalar(window, at, byte, final);
    const row = (this.#handler.rows ?? 0) + 1;
    if ((stop < 0 ? window.end : stop) - at > this.#limits.maxRowBytes) throw rowTooLong(row, this.#limits);
    if (stop < 0) return stop;
    if (!window.isValid(at, stop)) throw invalidEncoding(row, this.#encoding);
    this.#handler.row(window.bytes, at, stop);
    this.#ended();
    return stop;
  }

  #endOfNested({ bytes, end }: RecordWindow, at: number): number {
    const tokens = this.#tokens;
    tokens.enter(at, end, bytes);
    let depth = 0;
    for (let mark = tokens.mark(); mark !== MARK.end && mark !== MARK.cut; mark = tokens.mark()) {
      if (mark === MARK.open) {
        depth += 1;
        if (depth + this.#open.length > MAX_DEPTH) throw tooDeep(`Row ${(this.#handler.rows ?? 0) + 1}`);
      } else if (mark === MARK.close) {
        depth -= 1;
        if (depth === 0) return tokens.at;
      }
    }
    return -1;
  }

  #end(at: number): number {
    this.#open.pop();
    this.#handler.close();
    this.#ended();
    return at + 1;
  }

  #ended(): void {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma or end';
  }

  #tooLong(): RejectedInput {
    const { rows } = this.#handler;
    return textTooLong(rows === null ? 'The file' : `Behind row ${rows}, the file`, this.#limits.maxCellBytes, 0);
  }

  #fault(window: RecordWindow, at: number): RejectedInput {
    const here = storable(window.bytes.toString('utf8', at, Math.min(window.end, at + SHOWN)), SHOWN);
    return this.#notJson(window, at, `here (${here}) ${EXPECTED[this.#expected]} is expected`);
  }

  #endsEarly(window: RecordWindow): RejectedInput {
    if (this.#open.length === 0 && this.#expected === 'value' && window.pending === 0) {
      return new RejectedInput('EMPTY_FILE', 'The JSON text is empty.');
    }
    const within = this.#open.length === 0 ? 'the value' : this.#open.at(-1) ? 'a list' : 'an object';
    return this.#notJson(window, window.end, `the file ends before ${within} does; upload it whole`);
  }

  #notJson(window: RecordWindow, at: number, what: string): RejectedInput {
    return this.#lines.notJson(window, at, this.#handler.rows, what);
  }
}
