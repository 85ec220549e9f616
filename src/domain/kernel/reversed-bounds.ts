/** Finds bounds between which nothing lies, because the lower one is above the upper one. */
import { compareDecimals } from './exact-decimal.js';

const DAY_CHARACTERS = 10;

/** Values in their canonical form: decimals, or days and instants. A day is the whole day. */
export function areReversed(comparison: 'text' | 'number' | 'date', from: string, to: string): boolean {
  if (comparison === 'text') return false;
  if (comparison === 'number') return compareDecimals(from, to) > 0;
  return Date.parse(boundOfDay(from, 'from')) > Date.parse(boundOfDay(to, 'to'));
}

/** The first or the last instant of a day; an instant is itself. */
export function boundOfDay(date: string, end: 'from' | 'to'): string {
  if (date.length !== DAY_CHARACTERS) return date;
  return end === 'from' ? `${date}T00:00:00Z` : `${date}T23:59:59.999999Z`;
}

/** Says it of the field with the lower bound. @param upper the name of the field with the upper one */
export function reversedMessage(from: string, upper: string, to: string): string {
  return `is ${from}, which is after ${upper}, ${to}: nothing lies between them; exchange the two`;
}
