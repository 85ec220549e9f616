/**
 * Converts the values inside a definition (options, oneOf, the limits of a range) to the form in which items hold them.
 */
import { canonicalDecimal, compareDecimals } from '../../kernel/exact-decimal.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeValidation } from '../attribute-definition.js';
import type { ValueCodec } from '../compiled-attribute.js';
import type { GivenValue, ValidationDraft } from './attribute-type.js';
import { fieldInvalid } from './explain-issues.js';
import { describePatternFault } from './pattern-fault.js';

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

// Describes a value that is not in its list, with a hint at the value that was probably meant.

/** In longer lists the search would cost more than the hint is worth, because a wrong column is wrong in every row. */
const MAX_CANDIDATES = 100;
const SHOWN_OPTIONS = 5;

/** The problem of such a value. It names the nearest allowed value, else the first few. */
export function notAllowed(allowed: readonly string[], value: string): ValueProblem {
  const nearest = allowed.length > MAX_CANDIDATES ? undefined : nearestName(value, allowed, (option) => option);
  const hint = nearest === undefined ? firstFew(allowed) : `did you mean ${quoted(nearest)}?`;
  return new ValueProblem('VALUE_NOT_IN_OPTIONS', `${quoted(value)} is not one of the allowed values: ${hint}`, value);
}

function firstFew(allowed: readonly string[]): string {
  const shown = allowed.slice(0, SHOWN_OPTIONS).map(quoted).join(', ');
  const more = allowed.length - SHOWN_OPTIONS;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

// The rule `oneOf`: narrows a type to the values that a definition lists.

const BEYOND_ASCII = /[\u0080-\uffff]/;

/**
 * Finds the listed text that equals a text if accents may be written as characters of their own, which nobody sees. It
 * is for texts that are not listed as they are.
 */
export function listedInNfc(listed: () => Iterable<string>): (text: string) => string | undefined {
  let known: ReadonlyMap<string, string> | undefined;
  return (text) => {
    if (!BEYOND_ASCII.test(text)) return undefined;
    // Of two that are equal in this sense, the first one.
    known ??= new Map([...listed()].reverse().map((one) => [one.normalize('NFC'), one]));
    return known.get(text.normalize('NFC'));
  };
}

/**
 * A codec that accepts only the listed values, which are compared in their canonical form and, if need be, in NFC.
 * @param oneOf the allowed values; undefined allows all
 */
export function onlyListed(
  codec: ValueCodec,
  oneOf: AttributeValidation['oneOf'],
  readListed: GivenReader = codec.fromJson,
): ValueCodec {
  if (oneOf === undefined) return codec;
  const allowed = new Set(oneOf.map(readListed));
  const inNfc = listedInNfc(() => [...allowed].filter((json) => typeof json === 'string'));
  function narrowed(json: string | ValueProblem): string | ValueProblem {
    if (typeof json !== 'string' || allowed.has(json)) return json;
    const equal = inNfc(json);
    if (equal !== undefined) return equal;
    return notAllowed(oneOf ?? [], String(JSON.parse(json)));
  }
  return {
    fromText: (text) => narrowed(codec.fromText(text)),
    fromJson: (value) => narrowed(codec.fromJson(value)),
    toText: codec.toText,
  };
}

/** The rule in its canonical form; nothing when no value is listed. */
export function resolveOneOf(
  read: GivenReader,
  oneOf: ValidationDraft['oneOf'],
  problems: RowProblem[],
): Pick<AttributeValidation, 'oneOf'> {
  if (!oneOf || oneOf.length === 0) return {};
  return { oneOf: resolveValues('validation.oneOf', read, oneOf, problems) };
}
