/** What waits, what has failed and which endpoints do not work, over all accounts. */
import type { Knex } from 'knex';
import { type Owner, rowsOf } from './reading.js';

/** Sites that are asked for their oldest waiting job. Beyond that the page says so. */
const MOST_SITES = 5_000;
const LONGEST = 10;

export interface WaitingJob extends Owner {
  readonly jobId: string;
  readonly type: string;
  readonly createdAt: Date;
  /** Due, held behind earlier jobs of the site, or held because an earlier job has failed. */
  readonly state: 'q' | 'h';
}

interface Waiting {
  readonly jobs: readonly WaitingJob[];
  /** Whether there are more sites than were asked. */
  readonly partly: boolean;
}

/** The first waiting job of each site, those that have waited longest first. It reads one entry of each ordering queue. */
export async function longestWaiting(trx: Knex): Promise<Waiting> {
  const rows = await rowsOf<WaitingJob & { sites: number }>(
    trx,
    `WITH RECURSIVE found (site_id) AS (
       (SELECT site_id FROM job_order ORDER BY site_id LIMIT 1)
       UNION ALL
       SELECT (SELECT site_id FROM job_order WHERE job_order.site_id > found.site_id ORDER BY site_id LIMIT 1)
       FROM found WHERE found.site_id IS NOT NULL
     ), asked AS MATERIALIZED (SELECT site_id FROM found WHERE site_id IS NOT NULL LIMIT :sites)
     SELECT job.id AS "jobId", job.type, job.created_at AS "createdAt", first.state, site.stage,
       account.id AS "accountId", account.name AS "accountName", (SELECT count(*)::integer FROM asked) AS sites
     FROM asked
     CROSS JOIN LATERAL (
       SELECT job_id, state FROM job_order
       -- In this form Postgres expects to find one soon, and reads the index in its order.
       WHERE job_order.site_id = asked.site_id AND state <> 'e' AND state <> 'r' AND state <> 'p'
         AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = asked.site_id), 0)
       ORDER BY position LIMIT 1) AS first
     CROSS JOIN LATERAL (
       SELECT id, type, created_at FROM job WHERE job.id = first.job_id AND completed_at IS NULL LIMIT 1) AS job
     JOIN site ON site.id = asked.site_id JOIN account ON account.id = site.account_id
     ORDER BY job.created_at LIMIT :longest`,
    { sites: MOST_SITES, longest: LONGEST },
  );
  return { jobs: rows, partly: (rows[0]?.sites ?? 0) >= MOST_SITES };
}

/** Failed jobs that are counted, the newest. */
const MOST_FAILED = 2_000;

export interface FailedReason {
  readonly reason: string;
  readonly jobs: number;
  readonly accounts: number;
  readonly lastAt: Date;
}

/** The jobs that have failed within a day, by reason. */
export async function failedByReason(trx: Knex): Promise<readonly FailedReason[]> {
  return rowsOf<FailedReason>(
    trx,
    `SELECT coalesce(reason, 'UNKNOWN') AS reason, count(*)::integer AS jobs,
       count(DISTINCT account_id)::integer AS accounts, max(completed_at) AS "lastAt"
     FROM (SELECT reason, account_id, completed_at FROM job WHERE status = 'FAILED' ORDER BY created_at DESC, id DESC LIMIT :most) AS newest
     WHERE completed_at > now() - interval '1 day'
     GROUP BY 1 ORDER BY 2 DESC, 1`,
    { most: MOST_FAILED },
  );
}
