/** The formats of dates that an import can read, among those that an inspection has found. */
import { compileDateFormat } from '../../catalog/model/date-format.js';
import { canonicalIso } from '../../catalog/model/iso-date.js';
import type { Column } from '../../inspection/model/column.js';

/** A step has no more. */
const MAX_FORMATS = 10;

/** ISO 8601 in any of the forms that an import reads without a step. */
const ISO = /^yyyy-MM-dd(?:(?:'T'| )HH:mm(?::ss(?:[.,]S+)?)?(?:XXX)?)?$/;

type Dates = Pick<Column, 'date' | 'examples'>;

/**
 * The lists of formats between which the file does not decide; one: it is decided; none: the dates cannot be read, or need no
 * step. A list lacks the formats that cannot be read, unless that is the most frequent one.
 */
export function usableFormats(column: Dates): readonly (readonly string[])[] {
  if (isReadAsItIs(column)) return [];
  const found = new Map<string, readonly string[]>();
  for (const [first = '', ...others] of listsOf(column)) {
    const formats = [first, ...others.filter(isReadable)];
    if (isReadable(first) && formats.length <= MAX_FORMATS) found.set(formats.join('\n'), formats);
  }
  return [...found.values()];
}

/** Whether some dates of a column are written in formats that cannot be read. */
export function hasUnreadable(column: Dates): boolean {
  return listsOf(column).some((formats) => !formats.every(isReadable));
}

/** Whether no step can read all dates of a column, and an import reads them without one: times with a fraction of any length. */
export function isReadAsItIs(column: Dates): boolean {
  const lists = listsOf(column);
  return (
    hasUnreadable(column) &&
    lists.every((formats) => formats.every((format) => ISO.test(format))) &&
    column.examples.every((example) => typeof canonicalIso(example.trim()) === 'string')
  );
}

function listsOf({ date }: Dates): readonly (readonly string[])[] {
  if (date === null) return [];
  const { value, rivals, verdict } = date.formats;
  return [...(value === null ? [] : [value]), ...(verdict === 'ambiguous' ? rivals : [])];
}

/** Years of two digits and names of months are not read. */
function isReadable(format: string): boolean {
  try {
    compileDateFormat(format);
    return true;
  } catch {
    return false;
  }
}

/** The day that a text is in a format, in words; the text itself if it is none. */
export function dayInWords(text: string, formats: readonly string[]): string {
  for (const format of formats) {
    const day = compileDateFormat(format).read(text.trim());
    if (typeof day !== 'string') continue;
    return WORDS.format(new Date(day));
  }
  return `no day in ${formats.join(', ')}`;
}

const WORDS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
