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
