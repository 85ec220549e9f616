/** What accounts use of their quotas. */
import type { Db } from '../../../db/connection.js';
import { type QuotaName, quotasOf } from './quotas.js';

/** Rows of jobs that have not ended. The rows of a file are known when it is planned. @param account a parameter or column */
const usedRowsSql = (account: string) => `
  SELECT coalesce(sum(job.total_count), 0)::bigint AS used
  FROM site CROSS JOIN LATERAL (
    SELECT job_id FROM job_order
    WHERE job_order.site_id = site.id AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = site.id), 0)
  ) AS open
  CROSS JOIN LATERAL (SELECT total_count FROM job WHERE job.id = open.job_id AND completed_at IS NULL LIMIT 1) AS job
  WHERE site.account_id = ${account}`;

/** Of uploaded files, and of those of which only parts have come so far. */
const usedBytesSql = (account: string) => `
  SELECT (SELECT coalesce(sum(file.bytes), 0)::bigint FROM site JOIN file ON file.site_id = site.id
    WHERE site.account_id = ${account} AND file.status = 'UPLOADED')
    + (SELECT coalesce(sum(bytes), 0)::bigint FROM file_part WHERE account_id = ${account}) AS used`;

const usedUploadsSql = (account: string) =>
  `SELECT count(*)::integer AS used FROM file WHERE account_id = ${account} AND status = 'AWAITING_UPLOAD'`;

const usedStagesSql = (account: string) => `SELECT count(*)::integer AS used FROM site WHERE account_id = ${account}`;

const USED = { rows: usedRowsSql, bytes: usedBytesSql, uploads: usedUploadsSql, stages: usedStagesSql } as const;

export async function usedOf(db: Db, name: keyof typeof USED, accountId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { used: number }[] }>(USED[name](':account'), { account: accountId });
  return Number(rows[0]?.used ?? 0);
}

/** A quota of an account, and how much of it is used. */
interface QuotaUse {
  readonly accountId: string;
  readonly quota: QuotaName;
  readonly limit: number;
  readonly used: number;
}

/** So many accounts are measured: with more quotas than this, those with the first ids. */
const MOST_MEASURED = 500;
/** So many are shown. */
const MOST_SHOWN = 100;

/** What accounts have used of their quotas: those that have used most of one, at most 100 of the first 500 with quotas. */
export async function measureQuotas(db: Db): Promise<readonly QuotaUse[]> {
  const { rows } = await db.raw<{ rows: MeasuredQuotas[] }>(MEASURE);
  const accounts = rows.map(({ id, quotas, ...used }) =>
    Object.entries(quotasOf(quotas)).flatMap(([name, limit]) => {
      const quota = name as QuotaName;
      return limit === undefined ? [] : [{ accountId: id, quota, limit, used: Number(used[quota] ?? 0) }];
    }),
  );
  const shares = new Map(accounts.map((uses) => [uses, Math.max(...uses.map(shareOf))]));
  return [...shares]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_SHOWN)
    .flatMap(([uses]) => uses);
}

function shareOf({ used, limit }: QuotaUse): number {
  return used / Math.max(1, limit);
}

interface MeasuredQuotas extends Readonly<Record<QuotaName, number | null>> {
  readonly id: string;
  readonly quotas: unknown;
}

/** Only what has a quota is counted. */
const MEASURE = `
  SELECT limited.id, limited.quotas,
    (SELECT least(leased, (quotas ->> 'requests')::bigint) FROM request_use
     WHERE account_id = limited.id AND minute = date_trunc('minute', now())) AS requests,
    ${Object.entries(USED)
      .map(([name, sql]) => `CASE WHEN quotas -> '${name}' IS NOT NULL THEN (${sql('limited.id')}) END AS ${name}`)
      .join(', ')}
  FROM (SELECT id, quotas FROM account WHERE quotas IS NOT NULL ORDER BY id LIMIT ${MOST_MEASURED}) AS limited`;
