/** The day that a text means in a format such as `dd.MM.yyyy`. */

const PARTS = /d{1,2}|M{1,2}|y{4}|yy/g;

/** @returns undefined: it has no day in this format */
export function dayOf(text: string, format: string): Date | undefined {
  const names = format.match(PARTS) ?? [];
  if (!['d', 'M', 'y'].every((part) => names.some((name) => name.startsWith(part)))) return undefined;
  const pattern = format
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(PARTS, (name) => (name === 'yyyy' ? '(\\d{4})' : '(\\d{1,2})'));
  const found = new RegExp(`^${pattern}`).exec(text.trim());
  if (found === null) return undefined;
  const value = (part: string) => Number(found[names.findIndex((name) => name.startsWith(part)) + 1]);
  const year = value('y');
  const day = new Date(Date.UTC(year < 100 ? 2000 + year : year, value('M') - 1, value('d')));
  return day.getUTCDate() === value('d') ? day : undefined;
}

/** The last day of January 2026 in a format, without the time of the day: it can be read in one way alone. */
export function lastOfJanuary(format: string): string {
  const [date = format] = /[yMd]+([^yMdH'T ]+[yMd]+)*/.exec(format) ?? [];
  const values: Readonly<Record<string, string>> = { yyyy: '2026', yy: '26', MM: '01', M: '1', dd: '31', d: '31' };
  return date.replace(PARTS, (part) => values[part] ?? part);
}
