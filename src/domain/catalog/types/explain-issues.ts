/** Converts the issues that the schema found in an element to the problems of its row. */
import type { z } from 'zod';
import { nearestName } from '../../kernel/nearest-name.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { typeWords } from '../../kernel/type-words.js';
import { describeJson, quoted } from '../../kernel/value-problem.js';
import { WrittenNumber } from '../../kernel/written-number.js';
import { fieldInvalid } from './field-invalid.js';

type Issue = z.core.$ZodIssue;

/** Path of an object → the fields that it may have, for advice on one that is unknown. */
export type KnownFields = Readonly<Record<string, readonly string[]>>;

/** @param element the element that was checked */
export function explainIssues(issues: readonly Issue[], element: unknown, known: KnownFields): RowProblem[] {
  return issues.flatMap((issue) => explainIssue(issue, pathText(issue.path), at(element, issue.path), known));
}

function explainIssue(issue: Issue, field: string, value: unknown, known: KnownFields): RowProblem | RowProblem[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(field, key, known));
    case 'invalid_value':
      return fieldInvalid(
        field,
        `must be ${oneOf(issue.values.map(String))}, not ${describeJson(value)}${nearest(value, issue.values)}`,
        value,
      );
    case 'too_big':
      return fieldInvalid(
        field,
        `is too ${sized(issue.origin)}: at most ${issue.maximum} ${unit(issue.origin)}`,
        value,
      );
    case 'too_small':
      return fieldInvalid(field, `is too small: at least ${issue.minimum}`, value);
    case 'invalid_format':
      return fieldInvalid(field, `is not a language tag such as fr or pt-BR: ${describeJson(value)}`, value);
    case 'invalid_type':
      if (value === undefined) return fieldInvalid(field, `is missing: give ${typeWords(issue.expected)}`);
      if (value instanceof WrittenNumber && NUMBERS.includes(issue.expected)) {
        return fieldInvalid(field, `cannot be kept as it is written, ${quoted(value)}: write at most 15 digits`, value);
      }
      return fieldInvalid(field, `must be ${typeWords(issue.expected)}, not ${describeJson(value)}`, value);
    case 'invalid_union':
      return unionProblem(issue, field, value, known);
    case 'custom':
      return { ...fieldInvalid(field, issue.message, value), code: 'INVALID_TEXT' };
    default:
      // The text of the validator is not for clients.
      return fieldInvalid(field, 'has a value that is not accepted here; /docs describes what is', value);
  }
}

/** A union is of text and number, or of a list and its elements: the issue of the alternative that was given counts. */
function unionProblem(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  field: string,
  value: unknown,
  known: KnownFields,
): RowProblem | RowProblem[] {
  const own = issue.errors.find(([first]) => first !== undefined && first.code !== 'invalid_type');
  if (own) {
    return own.flatMap((inner) => explainIssue(inner, `${field}${pathText(inner.path)}`, at(value, inner.path), known));
  }
  return fieldInvalid(field, `must be a text or a number, not ${describeJson(value)}`, value);
}

function unknownField(parent: string, key: string, fields: KnownFields): RowProblem {
  const known = fields[parent.replace(/\[[0-9]+\]$/, '')] ?? [];
  const nearestKnown = nearestName(key, known, (name) => name);
  const field = parent === '' ? key : `${parent}.${key}`;
  const hint = nearestKnown === undefined ? `the fields are ${known.join(', ')}` : `did you mean "${nearestKnown}"?`;
  return fieldInvalid(field.slice(0, 100), `is not a known field: ${hint}`);
}

function nearest(value: unknown, values: readonly unknown[]): string {
  const near = typeof value === 'string' ? nearestName(value, values.map(String), (name) => name) : undefined;
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.join(', ')}`;
}

function sized(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'long' : 'large';
}

function unit(origin: string): string {
  if (origin === 'string') return 'characters';
  return origin === 'array' ? 'entries' : 'is allowed';
}

const NUMBERS: readonly string[] = ['number', 'int'];

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function at(element: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], element);
}
