/** What may stand where in a JSON text. */
import { BACKSLASH, LF, QUOTE, SPACE } from '../../../kernel/characters.js';

export type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma or end' | 'nothing';

export const SCALAR = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

/** How messages say it. */
export const EXPECTED: Readonly<Record<Expected, string>> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  name: 'a name in double quotation marks',
  'name or }': 'a name in double quotation marks or }',
  colon: 'a colon',
  'comma or end': 'a comma, or the end of the list or object',
  nothing: 'nothing more',
};

/** The index after the text that begins with the quote at `at`; -1 if its end is not there. */
export function endOfText(bytes: Buffer, at: number, end: number): number {
  for (let quote = bytes.indexOf(QUOTE, at + 1); quote >= 0 && quote < end; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    // An even number of backslashes are escaped ones, and the quote is not escaped.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return -1;
}

export function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === 0x09 || byte === 0x0d;
}
