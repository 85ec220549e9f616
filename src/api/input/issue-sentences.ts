/** Sentences that say what is wrong with a value. */
import { z } from 'zod';
import { nearestName } from '../../domain/kernel/nearest-name.js';
import { typeWords } from '../../domain/kernel/type-words.js';
import { describeJson } from '../../domain/kernel/value-problem.js';
import type { Issue, RawIssue } from './input-issue.js';
import { alternatives } from './union-issues.js';

/** What to say of an issue whose schema has no message of its own. */
export function sentenceOf(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wanted(
        issue.inst instanceof z.core.$ZodNumberFormat ? 'a whole number' : typeWords(issue.expected),
        issue.input,
      );
    case 'invalid_value':
      return `${wanted(oneOf(issue.values), issue.input)}${nearest(issue.input, issue.values)}`;
    case 'too_big':
      return tooBig(issue.origin, issue.maximum);
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum, issue.inclusive !== false);
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of another form'}, not ${describeJson(issue.input)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union': {
      const { discriminator, options } = issue;
      if (typeof discriminator === 'string' && Array.isArray(options)) {
        const given = memberOf(issue.input, discriminator);
        return `${wanted(oneOf(options), given)}${nearest(given, options)}`;
      }
      const expected = alternatives({ ...issue, path: [], message: '' }).flatMap(([first]) => expectedBy(first));
      return expected.length === 0 ? NOT_ACCEPTED : wanted([...new Set(expected)].join(' or '), issue.input);
    }
    default:
      return NOT_ACCEPTED;
  }
}

const NOT_ACCEPTED = 'has a value that is not accepted here; /docs describes what is';

function wanted(expected: string, given: unknown): string {
  return given === undefined ? `is missing: give ${expected}` : `must be ${expected}, not ${describeJson(given)}`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function expectedBy(issue: Issue | undefined): string[] {
  if (issue?.code === 'invalid_type') return [typeWords(issue.expected)];
  return issue?.code === 'invalid_value' ? [oneOf(issue.values)] : [];
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const names = values.map((one) => (one === '' ? 'an empty text' : String(one)));
  return names.length === 1 ? names.join('') : `one of ${names.join(', ')}`;
}

function nearest(given: unknown, values: readonly z.core.util.Primitive[]): string {
  const near = typeof given === 'string' ? nearestName(given, values.map(String), (name) => name) : undefined;
  return near === undefined ? '' : `: did you mean "${near}"?`;
}

function tooBig(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `is longer than ${maximum} characters`;
  return origin === 'array' ? `has too many entries: give at most ${maximum}` : `must be at most ${maximum}`;
}

function tooSmall(origin: string, minimum: number | bigint, inclusive: boolean): string {
  const isList = origin === 'array';
  if (isList || origin === 'string') {
    if (Number(minimum) === 1) return isList ? 'is empty: give at least one entry' : 'is empty';
    return isList ? `has fewer than ${minimum} entries` : `is shorter than ${minimum} characters`;
  }
  return inclusive ? `must be at least ${minimum}` : `must be greater than ${minimum}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time in ISO 8601 such as 2026-01-31T12:00:00Z',
  date: 'a day in ISO 8601 such as 2026-01-31',
  url: 'an address such as https://example.com/path',
};
