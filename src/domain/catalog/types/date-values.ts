/** Reads and checks the values of DATETIME attributes. */
import { describeJson, outOfRange, quoted, ValueProblem } from '../../kernel/value-problem.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';
import type { Doubt, ValueCodec } from '../model/compiled-attribute.js';
import { compileDateFormat, type DateFormat } from '../model/date-format.js';
import { canonicalIso, type DateFault } from '../model/iso-date.js';

const CANONICAL_DAY_LENGTH = 10;

/**
 * Cells of files are read in the attribute's format, else in the job's, else as ISO 8601. ISO 8601 is accepted besides
 * a format as well, but only for texts that do not have the shape of the format: `2024-13-01` is a wrong `yyyy-MM-dd`
 * and is not tried as anything else. So a value that its format cannot express is exported in ISO and imported
 * unchanged. JSON accepts ISO only.
 *
 * @throws Error when the format or a limit of the range cannot be read
 */
export function datetimeValues(
  definition: Pick<AttributeDefinition, 'format' | 'validation'>,
  jobFormat: string | undefined,
): ValueCodec {
  const pattern = definition.format ?? jobFormat;
  const format = pattern === undefined ? undefined : compileDateFormat(pattern);
  const min = bound(definition.validation.range?.min);
  const max = bound(definition.validation.range?.max);

  function checked(canonical: string, source: string): string | ValueProblem {
    if (min !== undefined && compareDates(canonical, min) < 0)
      return outOfRange(source, `before the earliest allowed date, ${min}`);
    if (max !== undefined && compareDates(canonical, max) > 0)
      return outOfRange(source, `after the latest allowed date, ${max}`);
    return `"${canonical}"`;
  }

  /** A format may begin or end with spaces; all other outer spaces are ignored. */
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
      return typeof canonical === 'string'
        ? checked(canonical, text)
        : unreadable(canonical, text, pattern, HOW_TO_NAME);
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
    doubt: format === undefined ? undefined : doubtOf(format),
  };
}

/** Days whose day and month may be exchanged: `03/04/2026` where another cell says `03/31/2026`. */
function doubtOf({ pieces, read, readExchanged }: DateFormat): Doubt | undefined {
  const fields = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : piece.field));
  // With an offset, the day that is stored may be another one.
  if (fields.includes('offset') || fields[0] === 'year') return undefined;
  return {
    about: 'DATE',
    isAmbiguous: (text, json) => {
      // The month and the day of `"2026-04-03"`.
      const month = json.slice(6, 8);
      const day = json.slice(9, 11);
      return day <= '12' && day !== month && !ISO_DAY.test(text);
    },
    // A day is always read by a format that the attribute or the job names.
    isDecisive: () => false,
    isContrary: (text) => {
      const refused = read(text.trim());
      return typeof refused !== 'string' && refused.fault === 'calendar' && readExchanged(text.trim()) !== null;
    },
  };
}

const ISO_DAY = /^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}/;

/** Reads dates without any rules. */
export const ANY_DATE = datetimeValues({ validation: {} }, undefined);

/** A bound that is a day includes the whole day; a value that is a day counts as its first instant. */
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
  if (typeof canonical !== 'string') throw new Error(`the range's end ${quoted(end)} is not an ISO 8601 date`);
  return canonical;
}

/** What a file can do that is written in another form as a whole. */
const HOW_TO_NAME = ', or give the option dateFormat with the form that the file has, such as dd.MM.yyyy';

/** @param otherwise what to do if all dates are written in another form, if there is something */
function unreadable({ fault }: DateFault, text: string, pattern: string | undefined, otherwise = ''): ValueProblem {
  const form = pattern === undefined ? 'ISO 8601, like 2024-01-31 or 2024-01-31T09:30:00Z' : `the format ${pattern}`;
  switch (fault) {
    case 'shape':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} is not a date: write it in ${form}${pattern === undefined ? otherwise : ''}`,
        text,
      );
    case 'calendar':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} is not a day of the calendar when read in ${form}: correct it`,
        text,
      );
    case 'time':
      return new ValueProblem(
        'VALUE_TYPE',
        `${quoted(text)} has no valid time of day when read in ${form}: correct it`,
        text,
      );
    case 'precision':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is finer than a millisecond: round it`, text);
    case 'range':
      return new ValueProblem('VALUE_RANGE', `${quoted(text)} is outside the years 1 to 9999 in UTC`, text);
  }
}

function notDate(value: unknown): ValueProblem {
  return new ValueProblem('VALUE_TYPE', `${describeJson(value)} is not a date: write an ISO 8601 date as text`, value);
}
