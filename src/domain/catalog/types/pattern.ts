/** The patterns of TEXT attributes: RE2, so that no tenant's expression can hang a worker. */
import { RE2JS } from 're2js';

export const MAX_PATTERN_CHARACTERS = 1000;

/** Matching takes time in proportion to text times program; `[ab]{900}` is about 900 instructions. */
const MAX_PROGRAM_INSTRUCTIONS = 2500;

/**
 * A test whether a text, or a part of it, matches (RE2's find: `^` and `$` anchor). Time is linear in the text.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const expression = RE2JS.compile(pattern);
  if (expression.programSize() > MAX_PROGRAM_INSTRUCTIONS) {
    throw new Error('the pattern repeats too much: use smaller counts, or maxLength to limit the length');
  }
  return (text) => expression.test(text);
}
