/** Compiles the patterns of TEXT attributes with RE2, so that no tenant's expression can block a worker. */
import { RE2JS } from 're2js';
import { ValueProblem } from '../../kernel/value-problem.js';
import { PatternWork } from '../model/compiled-attribute.js';

export const MAX_PATTERN_CHARACTERS = 1000;

/**
 * The most instructions of a new pattern, with counted repetitions multiplied out: `[ab]{400}` has about 400. A match
 * takes a time of at most text times instructions.
 */
const MAX_PATTERN_SIZE = 500;
/** Definitions that exist may be larger, because an earlier limit allowed it. */
export const MAX_STORED_SIZE = 2_500;

interface CompiledPattern {
  /** Instructions of the compiled pattern. */
  readonly size: number;
  matches(text: string): boolean;
}

/** @throws Error that says what is wrong with a new pattern */
export function checkPattern(pattern: string): void {
  compilePattern(pattern, MAX_PATTERN_SIZE);
}

/**
 * Compiles a test whether a text, or a part of it, matches (RE2's find: `^` and `$` anchor). Its time is linear in the
 * length of the text. Texts are tested in NFC, so that it does not matter whether their accents are characters of their
 * own, which nobody sees; a pattern that is not in NFC is tested as it is written and in NFC.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compilePattern(pattern: string, maxSize: number): CompiledPattern {
  const expressions = [...new Set([pattern, pattern.normalize('NFC')])].map((one) => RE2JS.compile(one));
  const size = Math.max(...expressions.map((expression) => expression.programSize()));
  if (size > maxSize) {
    throw new Error(
      `the pattern has a size of ${size}, with its repetitions multiplied out; at most ${maxSize} is allowed: use smaller counts, or maxLength to limit the length`,
    );
  }
  return {
    size: size * expressions.length,
    matches: (text) => {
      const normal = text.normalize('NFC');
      return expressions.some((expression) => expression.test(normal));
    },
  };
}

export function tooMuchWork({ size }: CompiledPattern, text: string): ValueProblem {
  const message =
    `the pattern's size (${size}) times the text's length (${text.length}) is, with the other patterns of the row, ` +
    `more than ${PatternWork.MAX_UNITS}: shorten the text, or simplify the pattern`;
  return new ValueProblem('VALUE_TOO_LONG', message, text);
}
