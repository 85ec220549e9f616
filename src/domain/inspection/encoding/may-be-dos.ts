/** Says whether a file may be in the encoding of DOS: many signs of Windows are letters there. */
import { codePage } from './code-pages.js';
import { COMMON_SIGNS } from './languages.js';
import type { Neighbours } from './score-code-page.js';

/** Signs that stand at an end of a word in every language. In DOS they are letters of French and German: é, ä, ô, ö. */
const QUOTES = /[‚„“”]/;
/** Of these, those that only begin a quotation: none stands behind a letter. */
const OPENING = /[‚„]/;
const LETTER = /\p{L}/u;

/**
 * Whether bytes speak for DOS at all. Where all of them are signs in windows-1252, such as no-break spaces, they are signs,
 * unless half of its quotes stand within words, or behind them where they open.
 * @param present the bytes above 0x7f that the file has
 */
export function mayBeDos(present: readonly number[], neighbours: Neighbours): boolean {
  const table = codePage('windows-1252');
  if (present.some((byte) => !COMMON_SIGNS.has(table[byte] as string))) return true;
  let quotes = 0;
  let within = 0;
  for (const [key, count] of neighbours) {
    const quote = table[(key >> 8) & 0xff] as string;
    if (!QUOTES.test(quote)) continue;
    quotes += count;
    const isBehind = LETTER.test(table[key >> 16] as string);
    if (isBehind && (OPENING.test(quote) || LETTER.test(table[key & 0xff] as string))) within += count;
  }
  return within > 0 && within * 2 >= quotes;
}
