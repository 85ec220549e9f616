/** Reads and writes values of TEXT attributes. */
import { isStorable } from '../../kernel/storable-text.js';
import type { AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec } from './compiled-attribute.js';
import { compilePattern } from './pattern.js';
import { describeJson, quoted, ValueProblem } from './value-problem.js';

export const MAX_TEXT_BYTES = 65_536;

/** No UTF-16 unit takes more than three bytes of UTF-8, so that a shorter text need not be counted. */
const SURELY_FITTING_UNITS = Math.floor(MAX_TEXT_BYTES / 3);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what JSON escapes.
const NEEDS_ESCAPE_OR_INSPECTION = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** @throws Error when the validation's pattern is no RE2 expression */
export function textValues(validation: AttributeValidation): ValueCodec {
  const check = ruleCheck(validation);
  function fromString(text: string): string | ValueProblem {
    const plain = !NEEDS_ESCAPE_OR_INSPECTION.test(text);
    if (!plain && !isStorable(text)) return notStorable(text);
    if (text.length > SURELY_FITTING_UNITS && Buffer.byteLength(text) > MAX_TEXT_BYTES) return tooManyBytes(text);
    const problem = check?.(text);
    if (problem) return problem;
    return plain ? `"${text}"` : JSON.stringify(text);
  }
  return {
    fromText: fromString,
    fromJson: (value) => (typeof value === 'string' ? fromString(value) : notText(value)),
    toText: (value) => String(value ?? ''),
  };
}

/** Null when there is no rule, so that the plainest attribute pays for none. */
function ruleCheck(validation: AttributeValidation): ((text: string) => ValueProblem | null) | null {
  const { maxLength, startWith, contains, pattern } = validation;
  const matches = pattern === undefined ? undefined : compilePattern(pattern);
  if (maxLength === undefined && startWith === undefined && contains === undefined && !matches) return null;
  return (text) => {
    if (maxLength !== undefined && text.length > maxLength && characterCount(text) > maxLength) {
      return new ValueProblem('VALUE_TOO_LONG', `the text is longer than ${maxLength} characters: shorten it`, text);
    }
    if (startWith !== undefined && !text.startsWith(startWith)) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not begin with ${quoted(startWith)}`, text);
    }
    if (contains !== undefined && !text.includes(contains)) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not contain ${quoted(contains)}`, text);
    }
    if (matches && !matches(text)) {
      return new ValueProblem('VALUE_PATTERN', `${quoted(text)} does not match the pattern ${pattern}`, text);
    }
    return null;
  };
}

/** Code points: what a person and Postgres count, roughly. */
function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}

function notStorable(text: string): ValueProblem {
  const what = text.includes('\u0000') ? 'a NUL character (\\u0000)' : 'half of a surrogate pair';
  return new ValueProblem('INVALID_TEXT', `the text holds ${what}, which cannot be stored: remove it`, text);
}

function tooManyBytes(text: string): ValueProblem {
  const message = `the text takes ${Buffer.byteLength(text)} bytes of UTF-8; at most ${MAX_TEXT_BYTES} are kept: shorten it`;
  return new ValueProblem('VALUE_TOO_LONG', message, text);
}

function notText(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is no text: put it in double quotes`, value);
}
