/** The period of statistics: whole days in somebody's time zone, and the sums of each of them. */
import type { Db } from '../../../db/connection.js';

export interface Period {
  /** How many days, of which today is the last. */
  readonly days: number;
  /** An IANA name. */
  readonly timeZone: string;
}

/** The sums of one day. */
export interface OfDay {
  /** "2026-11-26" */
  readonly day: string;
}

/** SQL for the day of a time, in the zone `:timeZone`. */
export function dayOf(time: string): string {
  return `to_char(${time} AT TIME ZONE :timeZone, 'YYYY-MM-DD')`;
}

/** The newest of a period that were counted. */
export interface Counted<Day extends OfDay> {
  /** Null: there are none. */
  readonly days: Day[] | null;
  readonly oldest: Date | null;
  readonly count: number;
}

/**
 * Days with something, the oldest first.
 * @param most how many are counted at most: of more, the days begin later than asked for
 * @returns `since`: the earliest time that is counted
 */
export function countedDays<Day extends OfDay>(
  since: Date,
  { days, oldest, count }: Counted<Day>,
  most: number,
): { readonly since: Date; readonly days: readonly Day[] } {
  return { since: count < most || oldest === null ? since : oldest, days: days ?? [] };
}

/** When the first day of a period began, by the clock of the database. */
export async function beginningOf(db: Db, { days, timeZone }: Period): Promise<Date> {
  const { rows } = await db.raw<{ rows: [{ since: Date }] }>(
    `SELECT (date_trunc('day', now() AT TIME ZONE :timeZone) - (:days::integer - 1) * interval '1 day') AT TIME ZONE :timeZone
       AS since`,
    { days, timeZone },
  );
  return rows[0].since;
}
