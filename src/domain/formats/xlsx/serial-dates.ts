/** Converts dates to the day numbers of spreadsheets and back, in both of their date systems. */

const DAY_MS = 86_400_000;
/**
 * Day 0 of the 1900 system for all days after February 1900: the system has a 29 February 1900, which never existed.
 */
const DAY_ZERO_1900 = Date.UTC(1899, 11, 30);
/** The first day after that one. */
const FIRST_SOUND_DAY = 61;

/**
 * The number of a day or an instant in the 1900 date system.
 * @param date `2024-01-31`, or an ISO 8601 instant in UTC.
 * @returns null for a date that the system cannot hold correctly (before 1 March 1900, or after 9999), or an invalid
 *   one.
 */
export function serialOfDate(date: string): number | null {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return null;
  const serial = (time - DAY_ZERO_1900) / DAY_MS;
  return serial >= FIRST_SOUND_DAY && date.charCodeAt(0) !== 0x2b ? serial : null;
}

const DAY_ZERO_1904 = Date.UTC(1904, 0, 1);
/** The number of 29 February 1900 in the 1900 system, a day that never existed. */
const LEAP_DAY_OF_1900 = 60;
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The date of a number: `2024-01-31` for a whole day if `wholeDays` is true, else `2024-01-31T09:30:00.000Z`.
 * @returns null when no date has the number.
 */
export function dateOfSerial(serial: number, date1904: boolean, wholeDays: boolean): string | null {
  if (!(serial >= 0)) return null;
  const time = date1904 ? DAY_ZERO_1904 + Math.round(serial * DAY_MS) : timeIn1900(serial);
  if (time === null || time > LAST_TIME) return null;
  const instant = new Date(time).toISOString();
  return wholeDays && time % DAY_MS === 0 ? instant.slice(0, 'yyyy-MM-dd'.length) : instant;
}

/** The time of day of a number: `09:30:00`, with milliseconds where it has any. */
export function timeOfSerial(serial: number): string {
  const time = Math.round(serial * DAY_MS) % DAY_MS;
  const text = new Date(time).toISOString();
  return text.slice(11, time % 1000 === 0 ? 19 : 23);
}

function timeIn1900(serial: number): number | null {
  const time = Math.round(serial * DAY_MS);
  const day = Math.floor(time / DAY_MS);
  if (day === 0 || day === LEAP_DAY_OF_1900) return null;
  // Before the leap day that never existed, days are one further from day 0.
  return DAY_ZERO_1900 + time + (day < LEAP_DAY_OF_1900 ? DAY_MS : 0);
}
