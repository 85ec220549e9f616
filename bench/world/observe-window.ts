/** What happens in the database within a few seconds: jobs that end, and buffers that are looked at. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

export interface Observed {
  /** Jobs ended a second. */
  readonly perSecond: number;
  /** Shared buffers that all of the database's sessions found or read, for each job that ended; null: none has. */
  readonly buffersPerJob: number | null;
}

interface Moment {
  readonly at: Date;
  readonly buffers: number;
}

export async function observeWindow(db: pg.Client, milliseconds: number): Promise<Observed> {
  const start = await look(db);
  await delay(milliseconds);
  const end = await look(db);
  const { rows } = await db.query<{ ended: number }>(
    'SELECT count(*)::integer AS ended FROM job WHERE completed_at > $1 AND completed_at <= $2',
    [start.at, end.at],
  );
  const ended = rows[0]?.ended ?? 0;
  return {
    perSecond: ended / ((end.at.getTime() - start.at.getTime()) / 1000),
    buffersPerJob: ended === 0 ? null : (end.buffers - start.buffers) / ended,
  };
}

/** A session reports its buffers once a second: what is missing at the start of a window is missing at its end. */
async function look(db: pg.Client): Promise<Moment> {
  const { rows } = await db.query<Moment>(
    `SELECT clock_timestamp() AS at, (blks_hit + blks_read)::double precision AS buffers
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  if (rows[0] === undefined) throw new Error('the database has no statistics');
  return rows[0];
}
