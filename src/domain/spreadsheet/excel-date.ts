/** Turns dates into the day numbers of spreadsheets and back, in both of their date systems. */

const DAY_MS = 86_400_000;
/** Day 0 of the 1900 system as all days after February 1900 count: the system holds a 29 February 1900 that never was. */
const DAY_ZERO_1900 = Date.UTC(1899, 11, 30);
/** The first day whose number is free of that. */
const FIRST_SOUND_DAY = 61;

/**
 * The number of a day or an instant in the 1900 date system.
 * @param date `2024-01-31`, or an ISO 8601 instant in UTC.
 * @returns null for a date that the system does not hold soundly: before 1 March 1900 or after 9999, or none.
 */
export function serialOfDate(date: string): number | null {
  const time = Date.parse(date);
  if (Number.isNaN(time)) return null;
  const serial = (time - DAY_ZERO_1900) / DAY_MS;
  return serial >= FIRST_SOUND_DAY && date.charCodeAt(0) !== 0x2b ? serial : null;
}
