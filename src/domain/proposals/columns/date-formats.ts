/** The formats of dates that an import can read, among those that an inspection has found. */
import { compileDateFormat } from '../../catalog/model/date-format.js';
import type { Column } from '../../inspection/model/column.js';

/** A step has no more. */
const MAX_FORMATS = 10;

/** The lists of formats between which the file does not decide; one: it is decided; none: the dates cannot be read. */
export function usableFormats({ date }: Pick<Column, 'date'>): readonly (readonly string[])[] {
  if (date === null) return [];
  const { value, rivals, verdict } = date.formats;
  const lists =
    verdict === 'ambiguous' ? [...(value === null ? [] : [value]), ...rivals] : value === null ? [] : [value];
  return lists.filter((formats) => formats.length > 0 && formats.length <= MAX_FORMATS && formats.every(isReadable));
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
