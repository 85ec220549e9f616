/** The last day by the hour: from rows that are kept anyway, and what maintenance has noted of each hour. */
import type { Knex } from 'knex';
import { BEGINS_TO_WAIT } from '../../domain/job-model/job-times.js';
import { firstIdOf } from '../../domain/kernel/identifier.js';
import { rowsOf } from './reading.js';

const HOUR_MS = 3_600_000;
/** A day, and the hour that has begun. */
const HOURS = 25;
/** Rows of an hour that are read, the first: the page takes as long on a busy day as on any other. */
const MOST_OF_HOUR = 500;

export interface Hour {
  readonly from: Date;
  /** Jobs that were accepted in it, of those that were read. */
  readonly jobs: number;
  readonly failedJobs: number;
  /** From the acceptance to the end of a job, of 95 of 100, in seconds; of those that have not ended, until now. Null: no job. */
  readonly waited: number | null;
  /** Bytes of the files that came or were written in it; estimated if not all were read. */
  readonly fileBytes: number;
  /** Whether there were more jobs than were read. */
  readonly partly: boolean;
  /** The most connections to Postgres that were open; null: nobody has looked. */
  readonly connections: number | null;
  /** How many there may be. */
  readonly connectionLimit: number | null;
  /** The size of the database at its end; null: nobody has looked. */
  readonly databaseBytes: number | null;
}

export interface Trends {
  readonly hours: readonly Hour[];
  /** When the first living process of each version began, within the day. */
  readonly deploys: readonly { readonly version: string; readonly at: Date }[];
}

interface HourRow {
  readonly nth: number;
  readonly jobs: number;
  readonly failedJobs: number;
  readonly waited: number | null;
  readonly files: number;
  readonly bytes: number;
  /** How much of the hour the files that were read are of, in seconds. */
  readonly seconds: number;
}

type NotedHour = Pick<Hour, 'connections' | 'connectionLimit' | 'databaseBytes'>;
const NOT_NOTED: NotedHour = { connections: null, connectionLimit: null, databaseBytes: null };

export async function trends(trx: Knex, now: Date): Promise<Trends> {
  const first = Math.floor(now.getTime() / HOUR_MS) - HOURS + 1;
  const starts = Array.from({ length: HOURS }, (_, nth) => new Date((first + nth) * HOUR_MS));
  const bounds = [...starts, new Date((first + HOURS) * HOUR_MS)].map(firstIdOf);
  const rows = await rowsOf<HourRow>(
    trx,
    `SELECT hour.nth::integer, jobs.jobs, jobs."failedJobs", jobs.waited, files.files, files.bytes, files.seconds
     FROM unnest(:starts::text[], :ends::text[]) WITH ORDINALITY AS hour (first, last, nth)
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS jobs, count(*) FILTER (WHERE status = 'FAILED')::integer AS "failedJobs",
         percentile_cont(0.95) WITHIN GROUP (
           ORDER BY extract(epoch FROM coalesce(completed_at, now()) - since)::float8) AS waited
       FROM (SELECT status, ${BEGINS_TO_WAIT} AS since, completed_at FROM job
             WHERE id >= hour.first COLLATE "C" AND id < hour.last COLLATE "C" AND status NOT LIKE 'AWAITING%'
             ORDER BY id LIMIT :most) AS read) AS jobs
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS files, coalesce(sum(bytes), 0)::float8 AS bytes,
         coalesce(extract(epoch FROM max(created_at) - min(created_at)), 0)::float8 AS seconds
       FROM (SELECT bytes, created_at FROM file
             WHERE id >= hour.first COLLATE "C" AND id < hour.last COLLATE "C"
             ORDER BY id LIMIT :most) AS read) AS files
     ORDER BY hour.nth`,
    { starts: bounds.slice(0, -1), ends: bounds.slice(1), most: MOST_OF_HOUR },
  );
  const deploys = await rowsOf<Trends['deploys'][number]>(
    trx,
    `SELECT version, min(started_at) AS at FROM process_heartbeat
     GROUP BY version HAVING min(started_at) >= :from ORDER BY 2`,
    { from: starts[0] ?? now },
  );
  const noted = await rowsOf<NotedHour & { hour: Date }>(
    trx,
    `SELECT hour, connections, connection_limit AS "connectionLimit", database_bytes AS "databaseBytes"
     FROM hourly_figure WHERE hour >= :from`,
    { from: starts[0] ?? now },
  );
  const ofHour = new Map(noted.map(({ hour, ...figures }) => [hour.getTime(), figures]));
  const hours = rows.map(({ nth, files, bytes, seconds, ...hour }) => ({
    ...hour,
    ...(ofHour.get(starts[nth - 1]?.getTime() ?? 0) ?? NOT_NOTED),
    from: starts[nth - 1] ?? now,
    fileBytes: files < MOST_OF_HOUR || seconds < 1 ? bytes : (bytes * 3_600) / seconds,
    partly: hour.jobs >= MOST_OF_HOUR,
  }));
  return { hours, deploys };
}
