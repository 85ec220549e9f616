/**
 * Converts the values inside a definition (options, oneOf, the limits of a range) to the form in which items hold them.
 */
import { canonicalDecimal, compareDecimals } from '../../kernel/exact-decimal.js';
import { describePatternFault } from '../../kernel/pattern-fault.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeValidation } from '../model/attribute-definition.js';
import type { GivenValue, ValidationDraft } from './attribute-draft.js';
import { fieldInvalid } from './field-invalid.js';

/** Reads a value of a definition and returns its canonical JSON, or the problem. */
export type GivenReader = (given: GivenValue) => string | ValueProblem;

/** The values as canonical text. A value that is empty or repeated is a problem. */
export function resolveValues(
  field: string,
  read: GivenReader,
  given: readonly GivenValue[],
  problems: RowProblem[],
): string[] {
  const seen = new Set<string>();
  return given.map((value, index) => {
    const at = `${field}[${index}]`;
    const canonical = canonicalValue(read, value);
    if (canonical instanceof ValueProblem) {
      problems.push(fieldInvalid(at, `cannot be used: ${canonical.message}`, value));
      return String(value);
    }
    const text = String(canonical);
    if (text === '') problems.push(fieldInvalid(at, 'is empty: an item cannot hold an empty text'));
    else if (seen.has(text)) problems.push(fieldInvalid(at, `repeats ${quoted(text)}: name each value once`, value));
    seen.add(text);
    return text;
  });
}

/**
 * The rule `range` in its canonical form; an empty object when the range has no limits.
 * @param compare returns a number below, equal to or above zero, as the first value is before, equal to or after the
 *   second
 */
export function resolveRange(
  read: GivenReader,
  compare: (value: string, end: string) => number,
  range: ValidationDraft['range'],
  problems: RowProblem[],
): Pick<AttributeValidation, 'range'> {
  const min = resolveEnd(read, 'min', range?.min, problems);
  const max = resolveEnd(read, 'max', range?.max, problems);
  if (min !== undefined && max !== undefined && compare(String(min), String(max)) > 0) {
    problems.push(fieldInvalid('validation.range', `allows nothing: min ${min} is greater than max ${max}`));
  }
  if (min === undefined && max === undefined) return {};
  return { range: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) } };
}

/** Compares canonical numbers exactly. */
export function compareNumbers(value: string, end: string): number {
  const [one, other] = [canonicalDecimal(value, '.'), canonicalDecimal(end, '.')];
  return typeof one === 'string' && typeof other === 'string' ? compareDecimals(one, other) : 0;
}

function resolveEnd(
  read: GivenReader,
  end: 'min' | 'max',
  given: GivenValue | null | undefined,
  problems: RowProblem[],
): GivenValue | undefined {
  if (given === null || given === undefined) return undefined;
  const canonical = canonicalValue(read, given);
  if (!(canonical instanceof ValueProblem)) return canonical;
  problems.push(fieldInvalid(`validation.range.${end}`, `cannot be used: ${canonical.message}`, given));
  return undefined;
}

function canonicalValue(read: GivenReader, given: GivenValue): GivenValue | ValueProblem {
  const json = read(given);
  return typeof json === 'string' ? (JSON.parse(json) as GivenValue) : json;
}

/** Adds a problem when a part of a definition does not compile. */
export function attempt(compile: () => unknown, field: string, value: string, problems: RowProblem[]): void {
  try {
    compile();
  } catch (error) {
    problems.push(fieldInvalid(field, `cannot be used: ${describePatternFault(error)}`, value));
  }
}
