/** The period of statistics: whole days in somebody's time zone. */
import type { Db } from '../../../db/connection.js';

export interface Period {
  /** How many days, of which today is the last. */
  readonly days: number;
  /** An IANA name. */
  readonly timeZone: string;
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
