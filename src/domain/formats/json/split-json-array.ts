/** Finds the elements of a JSON array held in memory, so that each can be parsed, and can fail, alone. */
import { isUtf8 } from 'node:buffer';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { RejectedInput } from '../model/rejected-input.js';
import { type JsonArrayLimits, JsonArrayScanner } from './json-array-scanner.js';

/** How many bytes are scanned before yielding to the event loop: many bodies may be complete at the same moment. */
const BYTES_PER_YIELD = 131_072;

/** Byte ranges of the elements: element i is bytes start[i] to end[i], exclusive. */
export interface JsonElementRanges {
  readonly start: number[];
  readonly end: number[];
  readonly count: number;
}

/**
 * Splits a JSON array. Brackets, texts and the commas between elements are checked; the syntax inside an element is
 * not, so each slice may still fail in JSON.parse.
 * @throws RejectedInput NOT_JSON, NOT_AN_ARRAY, TOO_DEEP, TOO_MANY_ROWS, INVALID_ENCODING, or EMPTY_FILE for no text;
 *   an empty array is not an error.
 */
export async function splitJsonArray(bytes: Buffer, limits: JsonArrayLimits): Promise<JsonElementRanges> {
  if (!isUtf8(bytes)) throw new RejectedInput('INVALID_ENCODING', 'The text is not valid UTF-8.');
  const from = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
  const scanner = new JsonArrayScanner(limits);
  for (let at = from; at < bytes.length; at += BYTES_PER_YIELD) {
    await yieldToEventLoop();
    scanner.scan(bytes, at, Math.min(at + BYTES_PER_YIELD, bytes.length), 0);
  }
  scanner.finish(bytes.length);
  return { start: scanner.starts, end: scanner.ends, count: scanner.count };
}
