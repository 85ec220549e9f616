/** Writes integers digit by digit: V8 needs a microsecond for the text of a number that has more than 31 bits. */
import { COMMA, ZERO } from './characters.js';

/** A safe integer is written in two parts that fit into 31 bits: the digits of the lower part, and 10 to that power. */
const LOW_DIGITS = 9;
const LOW_PART = 1e9;

/** The digits of a safe integer, and a comma. */
const MOST_BYTES = 17;

/** Writes the digits of a safe integer that is not negative, without creating a string. @returns where they end */
function putInteger(target: Uint8Array, at: number, value: number): number {
  const high = Math.floor(value / LOW_PART);
  if (high === 0) return putDigits(target, at, value, digitsOf(value));
  const next = putDigits(target, at, high, digitsOf(high));
  return putDigits(target, next, value - high * LOW_PART, LOW_DIGITS);
}

/** Like `join()`, for safe integers that are not negative. */
export function joinedIntegers(values: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(values.length * MOST_BYTES);
  let at = 0;
  for (const value of values) {
    at = putInteger(bytes, at, value);
    bytes[at++] = COMMA;
  }
  return bytes.toString('latin1', 0, Math.max(0, at - 1));
}

/** @param value below 2 ** 31 */
function putDigits(target: Uint8Array, at: number, value: number, digits: number): number {
  let left = value;
  for (let index = at + digits - 1; index >= at; index--) {
    const tens = Math.floor(left / 10);
    target[index] = ZERO + left - tens * 10;
    left = tens;
  }
  return at + digits;
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let power = 10; value >= power; power *= 10) digits++;
  return digits;
}
