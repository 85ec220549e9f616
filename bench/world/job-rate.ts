/** How fast jobs were carried out, as the database has it. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const POLL_EVERY_MS = 50;

export interface JobRate {
  /** Jobs a second from the first acceptance to the last end; of jobs that did not all end, to this moment. */
  readonly perSecond: number;
  /** From acceptance to the end, of the slowest hundredth; those that have not ended have waited until this moment. */
  readonly p99Ms: number;
  readonly ended: number;
}

/** The database's clock, for `rateSince`. */
export async function databaseTime(db: pg.Client): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return rows[0]?.now ?? new Date();
}

/** Waits until no job is left, but not beyond an instant (as `performance.now()` has it). @returns whether none is left */
export async function jobsEnd(db: pg.Client, giveUpAt: number): Promise<boolean> {
  const pending = async () => (await db.query('SELECT FROM job WHERE completed_at IS NULL LIMIT 1')).rowCount === 1;
  while (await pending()) {
    if (performance.now() > giveUpAt) return false;
    await delay(POLL_EVERY_MS);
  }
  return true;
}

/** Of the jobs accepted since an instant. @throws when there are none */
export async function rateSince(db: pg.Client, since: Date): Promise<JobRate> {
  const { rows } = await db.query<{ ended: number; seconds: number; p99: number | null }>(
    `SELECT count(completed_at)::integer AS ended,
       extract(epoch FROM CASE WHEN count(*) = count(completed_at) THEN max(completed_at) ELSE clock_timestamp() END
         - min(created_at))::double precision AS seconds,
       1000 * percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM coalesce(completed_at, clock_timestamp()) - created_at)) AS p99
     FROM job WHERE created_at >= $1`,
    [since],
  );
  const [row] = rows;
  if (row === undefined || row.p99 === null) throw new Error('no job was accepted: there is no rate');
  return { perSecond: row.ended / row.seconds, p99Ms: row.p99, ended: row.ended };
}
