/** Which bytes end a text of JSON, and which belong to a number or a word. */
import { BACKSLASH, MINUS, NINE, QUOTE, SPACE, ZERO } from '../../kernel/characters.js';

/** Index of the quote that ends a text; -1 when the text has an escape, a control character, or no end. */
export function endOfPlainText(bytes: Buffer, from: number, stop: number): number {
  for (let at = from; at < stop; at++) {
    const byte = bytes[at] as number;
    // Lower-case letters are checked first, because most of a text consists of them.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < SPACE) return -1;
  }
  return -1;
}

/** Whether a byte can be part of a number, or of a word such as `null`. */
export function isPart(byte: number): boolean {
  return (
    (byte >= ZERO && byte <= NINE) ||
    byte === MINUS ||
    byte === 0x2b ||
    byte === 0x2e ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x45
  );
}
