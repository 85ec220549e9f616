/** Why a value was not accepted. It is returned, never thrown, because invalid values are expected. */
import { storable } from './characters.js';
import type { RowCode, RowProblem } from './row-problem.js';
import { WrittenNumber } from './written-number.js';

const MAX_PROBLEM_VALUE_CHARACTERS = 200;
const MAX_QUOTED_CHARACTERS = 60;

export class ValueProblem {
  readonly code: RowCode;
  readonly message: string;
  /** The invalid value, cut to 200 characters and safe to store. */
  readonly value: string;

  constructor(code: RowCode, message: string, value: unknown) {
    this.code = code;
    this.message = message;
    this.value = storable(asText(value), MAX_PROBLEM_VALUE_CHARACTERS);
  }

  /** Returns this as a problem of the row. `column` is the header or attribute name. */
  at(column: string): RowProblem {
    return { code: this.code, column, message: this.message, value: this.value };
  }
}

/** Formats a value for messages: in double quotes, shortened, safe to store. */
export function quoted(value: unknown): string {
  return `"${storable(asText(value), MAX_QUOTED_CHARACTERS)}"`;
}

/** Describes a JSON value for messages: `the number 12`, `the text "abc"`, `an array`. */
export function describeJson(value: unknown): string {
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (value instanceof WrittenNumber) return `the number ${storable(value.text, MAX_QUOTED_CHARACTERS)}`;
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** @param where such as `above 10` */
export function outOfRange(value: unknown, where: string): ValueProblem {
  return new ValueProblem('VALUE_RANGE', `${quoted(value)} is ${where}`, value);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof WrittenNumber) return value.text;
  // JSON has no infinite numbers, and would write null.
  if (typeof value === 'number') return String(value);
  return JSON.stringify(value) ?? String(value);
}
