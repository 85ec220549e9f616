/** What statistics have in common: their query parameters, and the form of their days. */
import { z } from 'zod';
import { asInteger, digits } from './list-query.js';

const MOST_DAYS = 90;
const DEFAULT_DAYS = 14;

export const statisticsQuery = z.strictObject({
  days: digits(1, MOST_DAYS)
    .default(DEFAULT_DAYS)
    .meta(asInteger(`How many days, of which today is the last (default ${DEFAULT_DAYS})`, 1, MOST_DAYS)),
  timeZone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'is not a time zone: name one such as Europe/Berlin')
    .default('UTC')
    .meta({ description: 'The time zone in which days begin, by its IANA name' }),
});

/** Names with a sign are offsets, which Postgres reads the other way round. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]+(\/[A-Za-z_+-]+[A-Za-z0-9_+-]*)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The sums of each day on which something happened. */
export function statisticsDays<Sums extends z.ZodRawShape>(sums: Sums) {
  return z.array(z.object({ day: z.iso.date(), ...sums }));
}

export const statisticsSince = z.iso.datetime().meta({
  description: 'From when on is counted: later than asked for, where there are more than 20,000 jobs or events',
});
