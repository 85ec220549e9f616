/** Reads and writes values of DATETIME attributes: a day, or an instant in UTC. */
import type { AttributeDefinition } from '../attribute-definition.js';
import type { ValueCodec } from './compiled-attribute.js';
import { compileDateFormat } from './date-format.js';
import { canonicalIso, type DateFault } from './iso-date.js';
import { describeJson, quoted, ValueProblem } from './value-problem.js';

const CANONICAL_DAY_LENGTH = 10;

/**
 * Files are read by the attribute's format, else by the job's, else as ISO 8601. ISO is read beside a format too, but
 * only what is not shaped like the format: `2024-13-01` is a wrong yyyy-MM-dd, not a right something else. So a value
 * that its format cannot express is written in ISO and still comes back the same. JSON is ISO only.
 *
 * @throws Error when the format or an end of the range cannot be read
 */
export function datetimeValues(definition: AttributeDefinition, jobFormat: string | undefined): ValueCodec {
  const pattern = definition.format ?? jobFormat;
  const format = pattern === undefined ? undefined : compileDateFormat(pattern);
  const min = bound(definition.validation.range?.min);
  const max = bound(definition.validation.range?.max);

  function checked(canonical: string, source: string): string | ValueProblem {
    if (min !== undefined && compareDates(canonical, min) < 0)
      return outside(source, `before the first allowed, ${min}`);
    if (max !== undefined && compareDates(canonical, max) > 0) return outside(source, `after the last allowed, ${max}`);
    return `"${canonical}"`;
  }

  /** A format may begin or end with spaces of its own: others are passed over. */
  function readText(text: string): string | DateFault {
    const trimmed = text.trim();
    for (const form of trimmed === text ? [text] : [text, trimmed]) {
      const read = format?.read(form);
      if (read !== undefined && !isOtherwiseShaped(read)) return read;
    }
    return canonicalIso(trimmed);
  }

  return {
    fromText(text) {
      const canonical = readText(text);
      return typeof canonical === 'string' ? checked(canonical, text) : unreadable(canonical, text, pattern);
    },
    fromJson(value) {
      if (typeof value !== 'string') return notDate(value);
      const canonical = canonicalIso(value);
      return typeof canonical === 'string' ? checked(canonical, value) : unreadable(canonical, value, undefined);
    },
    toText(value) {
      const canonical = String(value ?? '');
      return format?.write(canonical) ?? canonical;
    },
  };
}

/** A bound that is a day takes in the whole day; a value that is a day stands at its first instant. */
export function compareDates(value: string, bound: string): number {
  if (bound.length === CANONICAL_DAY_LENGTH) return compareText(value.slice(0, CANONICAL_DAY_LENGTH), bound);
  return compareText(value.length === CANONICAL_DAY_LENGTH ? `${value}T00:00:00.000Z` : value, bound);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isOtherwiseShaped(read: string | DateFault): boolean {
  return typeof read !== 'string' && read.fault === 'shape';
}

function bound(end: number | string | undefined): string | undefined {
  if (end === undefined) return undefined;
  const canonical = canonicalIso(String(end));
  if (typeof canonical !== 'string') throw new Error(`the range's end ${quoted(end)} is no ISO 8601 date`);
  return canonical;
}

function unreadable({ fault }: DateFault, text: string, pattern: string | undefined): ValueProblem {
  const form = pattern === undefined ? 'ISO 8601, like 2024-01-31 or 2024-01-31T09:30:00Z' : `the format ${pattern}`;
  switch (fault) {
    case 'shape':
      return new ValueProblem('VALUE_TYPE', `${quoted(text)} is no date: write it in ${form}`, text);
    case 'calendar':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} is a day that the calendar does not have, read in ${form}`,
        text,
      );
    case 'time':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} holds a time of day that no clock shows, read in ${form}`,
        text,
      );
    case 'precision':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is finer than a millisecond: round it`, text);
    case 'range':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is outside the years 1 to 9999 in UTC`, text);
  }
}

function notDate(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is no date: write an ISO 8601 date as text`, value);
}

function outside(source: string, where: string): ValueProblem {
  return new ValueProblem('VALUE_RANGE', `${quoted(source)} is ${where}`, source);
}
