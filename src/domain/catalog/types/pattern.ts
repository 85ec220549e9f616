/** Compiles the patterns of TEXT attributes with RE2, so that no tenant's expression can block a worker. */
import { RE2JS } from 're2js';

export const MAX_PATTERN_CHARACTERS = 1000;

/** The time of a match is proportional to text times program; `[ab]{900}` has about 900 instructions. */
const MAX_PROGRAM_INSTRUCTIONS = 2500;

/**
 * Returns a test whether a text, or a part of it, matches (RE2's find: `^` and `$` anchor). Its time is linear in the
 * length of the text.
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
