/** Reads the rows of JSON documents and JSON Lines. */
import { LF } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { WrittenNumber } from '../../../kernel/written-number.js';
import { isBlankLine, parseJsonRow } from '../../json/json-rows.js';
import { nestsDeeperThan } from '../../json/nesting.js';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceLimits } from '../../model/source-limits.js';
import { invalidEncoding } from '../../text/detect-encoding.js';
import type { TextEncoding } from '../../text/encoding-names.js';
import type { RecordReader } from '../../text/read-records.js';
import type { RecordWindow } from '../../text/record-window.js';
import { rowTooLong } from '../../text/row-too-long.js';
import type { JsonHandler } from './json-reader.js';
import { MAX_DEPTH, tooDeep } from './nested-limits.js';
import { isJsonObject, type NestedRow } from './nested-value.js';

const SHOWN_VALUE = 200;

/** Finds the rows of a JSON document. Arrays on the way are passed through: their elements are at the path of the array. */
export class JsonRowsHandler implements JsonHandler {
  rows = 0;
  #found: NestedRow[] = [];
  /** How many steps of the path lead to each open value; -1: it is not on the path. */
  readonly #matched: number[] = [];
  #next = 0;

  readonly #steps: readonly string[];
  readonly #withText: boolean;

  constructor(steps: readonly string[], withText = false) {
    this.#steps = steps;
    this.#withText = withText;
  }

  isRow(isArray: boolean): boolean {
    return !isArray && this.#next === this.#steps.length;
  }

  row(bytes: Buffer, start: number, stop: number): void {
    this.rows += 1;
    this.#found.push(rowOf(this.rows, bytes.toString('utf8', start, stop), this.#withText));
    this.#ended();
  }

  open(_isArray: boolean): void {
    this.#matched.push(this.#next);
  }

  close(): void {
    this.#matched.pop();
    this.#ended();
  }

  member(name: string): void {
    const matched = this.#matched.at(-1) as number;
    this.#next = matched >= 0 && this.#steps[matched] === name ? matched + 1 : -1;
  }

  scalar(): void {
    this.#ended();
  }

  take(): readonly NestedRow[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  /** The next value is an element of the array that contains the last one, unless a name comes first. */
  #ended(): void {
    this.#next = this.#matched.at(-1) ?? 0;
  }
}

/** Reads JSON Lines. A line that is no JSON fails alone. */
export class JsonLines implements RecordReader {
  /** The rows of a line; without, the line itself is the row. */
  readonly #steps: readonly string[];
  #found: NestedRow[] = [];
  #line = 1;
  #rows = 0;
  #isAnyJson = false;
  #firstFault: RowProblem | null = null;

  readonly #limits: SourceLimits;
  readonly #encoding: TextEncoding;
  readonly #withText: boolean;

  constructor(steps: readonly string[], limits: SourceLimits, encoding: TextEncoding, withText = false) {
    this.#withText = withText;
    this.#steps = steps;
    this.#limits = limits;
    this.#encoding = encoding;
  }

  /** @throws RejectedInput NOT_JSON, TOO_DEEP, ROW_TOO_LONG, INVALID_ENCODING */
  read(window: RecordWindow, final: boolean): void {
    const { bytes, end } = window;
    let at = window.start;
    while (at < end) {
      const found = bytes.indexOf(LF, at);
      const isOpen = found < 0 || found >= end;
      if (isOpen && !final) break;
      const stop = isOpen ? end : found;
      this.#addLine(window, at, stop);
      at = isOpen ? end : stop + 1;
      this.#line += 1;
    }
    window.start = at;
    if (end - at > this.#limits.maxRowBytes) throw rowTooLong(this.#line, this.#limits);
    if (final && !this.#isAnyJson && this.#firstFault !== null) {
      throw new RejectedInput('NOT_JSON', `No line of the file is JSON. ${this.#firstFault.message}`);
    }
  }

  take(): readonly NestedRow[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  #addLine(window: RecordWindow, start: number, stop: number): void {
    const line = this.#line;
    if (stop - start > this.#limits.maxRowBytes) throw rowTooLong(line, this.#limits);
    if (!window.isValid(start, stop)) throw invalidEncoding(line, this.#encoding);
    const text = window.bytes.toString('utf8', start, stop);
    if (isBlankLine(text)) return;
    if (nestsDeeperThan(window.bytes, start, stop, MAX_DEPTH)) throw tooDeep(`Line ${line}`);
    if (this.#steps.length === 0) {
      this.#add(rowOf(line, text, this.#withText));
      return;
    }
    const whole = parseJsonRow(line, text);
    if (whole.problem !== null) {
      this.#rows += 1;
      this.#add({ row: this.#rows, value: undefined, problem: whole.problem, text: this.#withText ? text : undefined });
      return;
    }
    this.#isAnyJson = true;
    for (const value of valuesAt(whole.element, this.#steps, 0)) {
      this.#rows += 1;
      this.#add(objectRow(this.#rows, value, '', this.#withText ? jsonTextOf(value) : undefined));
    }
  }

  #add(row: NestedRow): void {
    if (row.problem === null) this.#isAnyJson = true;
    else this.#firstFault ??= row.problem;
    this.#found.push(row);
  }
}

/** The values at a path, elements of arrays one by one. */
function* valuesAt(value: unknown, steps: readonly string[], from: number): Generator<unknown> {
  if (Array.isArray(value)) for (const element of value) yield* valuesAt(element, steps, from);
  else if (from === steps.length) yield value;
  else if (isJsonObject(value)) {
    const name = steps[from] as string;
    if (Object.hasOwn(value, name)) yield* valuesAt(value[name], steps, from + 1);
  }
}

function rowOf(row: number, text: string, withText: boolean): NestedRow {
  const { element, problem } = parseJsonRow(row, text);
  const kept = withText ? text : undefined;
  return problem === null ? objectRow(row, element, text, kept) : { row, value: undefined, problem, text: kept };
}

/** A value as JSON, with numbers as they were written. */
function jsonTextOf(value: unknown): string {
  if (value instanceof WrittenNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonTextOf).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value)
    .map((name) => `${JSON.stringify(name)}:${jsonTextOf(value[name])}`)
    .join(',')}}`;
}

function objectRow(row: number, value: unknown, text: string, kept: string | undefined): NestedRow {
  if (isJsonObject(value)) return { row, value, problem: null, text: kept };
  const shown = (text === '' ? JSON.stringify(value) : text).trim().slice(0, SHOWN_VALUE);
  const is = Array.isArray(value) ? 'a list' : 'a single value';
  const message = `Row ${row} is ${is}, and has no columns. Write an object for each row.`;
  return {
    row,
    value: undefined,
    problem: { code: 'ROW_NOT_OBJECT', column: null, message, value: shown },
    text: kept,
  };
}
