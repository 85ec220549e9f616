/** Dates in ISO 8601 (slightly more permissive than RFC 3339), checked against the calendar. */

export interface DateFault {
  /** `shape`: not written like a date; the others: written like a date that does not exist or cannot be represented. */
  readonly fault: 'shape' | 'calendar' | 'time' | 'precision' | 'range';
}
export const NOT_SHAPED: DateFault = { fault: 'shape' };
const NO_SUCH_DAY: DateFault = { fault: 'calendar' };
const NO_SUCH_TIME: DateFault = { fault: 'time' };
const TOO_PRECISE: DateFault = { fault: 'precision' };
const OUT_OF_YEARS: DateFault = { fault: 'range' };

const ISO =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$/;

/**
 * Returns the canonical form: `YYYY-MM-DD` when there is no time of day, else `YYYY-MM-DDTHH:mm:ss.sssZ`.
 *
 * Without an offset the time is UTC. Fractions finer than a millisecond are a fault, unless they are zeros, because
 * they would be lost.
 */
export function canonicalIso(text: string): string | DateFault {
  if (isPlainDay(text)) return text;
  const match = ISO.exec(text);
  if (!match) return NOT_SHAPED;
  const [, year = '', month = '', day = '', hour, minute = '', second = '00', fraction = '', offset] = match;
  const date = canonicalDate(Number(year), Number(month), Number(day));
  if (typeof date !== 'string' || hour === undefined) return date;
  if (/[1-9]/.test(fraction.slice(3))) return TOO_PRECISE;
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return canonicalInstant(date, Number(hour), Number(minute), Number(second), millisecond, offset);
}

/** A fast check for most dates: whether a text is a day in canonical form that every month has (1 to 28). */
function isPlainDay(text: string): boolean {
  if (text.length !== 10 || text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return false;
  const year = digit(text, 0) * 1000 + digit(text, 1) * 100 + digit(text, 2) * 10 + digit(text, 3);
  const month = digit(text, 5) * 10 + digit(text, 6);
  const day = digit(text, 8) * 10 + digit(text, 9);
  // Characters that are no digits give NaN, and comparisons with NaN are false.
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
}

const DASH = 45;
const ZERO = 48;

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** Returns `YYYY-MM-DD` if the day exists in the (proleptic Gregorian) calendar, in the years 1 to 9999. */
export function canonicalDate(year: number, month: number, day: number): string | DateFault {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NO_SUCH_DAY;
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

/** @param offset `Z`, `+HH`, `+HHmm` or `+HH:mm`; undefined means UTC */
export function canonicalInstant(
  date: string,
  hour: number,
  minute: number,
  second: number,
  millisecond: number,
  offset: string | undefined,
): string | DateFault {
  if (hour > 23 || minute > 59 || second > 59) return NO_SUCH_TIME;
  const time = `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}.${padded(millisecond, 3)}`;
  const local = `${date}T${time}Z`;
  if (offset === undefined || offset === 'Z' || offset === 'z') return local;
  const offsetMinutes = minutesOf(offset);
  if (offsetMinutes === undefined) return NO_SUCH_TIME;
  if (offsetMinutes === 0) return local;
  const instant = new Date(Date.parse(local) - offsetMinutes * 60_000).toISOString();
  return /^[0-9]/.test(instant) && !instant.startsWith('0000') ? instant : OUT_OF_YEARS;
}

function minutesOf(offset: string): number | undefined {
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
