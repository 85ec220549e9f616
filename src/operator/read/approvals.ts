/** The jobs that wait for an approval, those that have waited longest first. */
import type { Knex } from 'knex';
import { type Owner, rowsOf } from './reading.js';

const LONGEST = 10;

export interface AwaitingJob extends Owner {
  readonly jobId: string;
  readonly type: string;
  /** Since when it waits. */
  readonly since: Date;
  /** How many rows would change something, and items would be removed. */
  readonly rows: number;
}

export function awaitingApproval(trx: Knex): Promise<readonly AwaitingJob[]> {
  return rowsOf<AwaitingJob>(
    trx,
    `SELECT job.id AS "jobId", job.type, job.updated_at AS since, coalesce((job.options -> 'removal' ->> 'removed')::integer, 0)
         + CASE WHEN job.options -> 'approval' ->> 'only' = 'removals' THEN 0 ELSE job.created_count + job.updated_count END AS rows, site.stage,
       account.id AS "accountId", account.name AS "accountName"
     FROM (SELECT * FROM job WHERE status = 'AWAITING_APPROVAL' ORDER BY updated_at LIMIT :longest) AS job
     JOIN site ON site.id = job.site_id JOIN account ON account.id = site.account_id
     ORDER BY job.updated_at`,
    { longest: LONGEST },
  );
}
