/** Numbers of JSON, which are judged by their digits as those of other files are. */
import { canonicalDecimal } from './exact-decimal.js';

/** A JSON number as it was written, where a double would print it differently: `19.999999999999999999`, `1.0`, `-0`. */
export class WrittenNumber {
  constructor(readonly text: string) {}

  toJSON(): string {
    return this.text;
  }
}

/** No double is printed with more characters: a sign, `0.00000` and 17 digits. */
const LONGEST_PRINTED = 25;

/** The value of a JSON number: a double if it prints exactly what was written, and is safe if it is whole. */
export function exactNumber(text: string): number | WrittenNumber {
  if (text.length > LONGEST_PRINTED) return new WrittenNumber(text);
  const value = Number(text);
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && String(value) === text ? value : new WrittenNumber(text);
}

/** A WrittenNumber as a double if that has the same value, as for `1.0`; everything else as it is. */
export function asDouble(value: unknown): unknown {
  if (!(value instanceof WrittenNumber)) return value;
  const double = Number(value.text);
  const canonical = canonicalDecimal(value.text, '.');
  // Adding zero turns -0, which JSON would write as 0, into 0.
  return canonical === canonicalDecimal(String(double), '.') ? double + 0 : value;
}

/** A JSON value without WrittenNumbers, for schemas: they become doubles if these have the same value, else texts. */
export function plainNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof WrittenNumber) {
    const double = asDouble(value);
    return double === value ? value.text : double;
  }
  if (Array.isArray(value)) return value.map(plainNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainNumbers(member)]));
}
