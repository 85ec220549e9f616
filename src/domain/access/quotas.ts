/**
 * Quotas of accounts: how many requests a minute, how many rows in the queue, how many bytes in the file store, how many
 * open uploads and how many stages an account may have. An account without quotas costs no statement.
 */
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { Account } from '../../../db/models/account.js';
import { DomainError } from '../kernel/errors.js';
import { requireAccount } from './accounts.js';

const most = z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional();

const quotasSchema = z
  .object({
    /** Requests in a minute, over all processes. */
    requests: most,
    /** Rows of jobs that have not ended. */
    rows: most,
    /** Bytes in the file store: uploads, exports and error files. */
    bytes: most,
    /** Announced files that wait for their upload. */
    uploads: most,
    stages: most,
  })
  .readonly();
/** Absent: unlimited. */
export type AccountQuotas = z.output<typeof quotasSchema>;
type QuotaName = keyof AccountQuotas;
/** The names of all quotas. */
export const QUOTA_NAMES = Object.keys(quotasSchema.unwrap().shape) as readonly QuotaName[];

/** Shared by all accounts without quotas. */
const NO_QUOTAS: AccountQuotas = {};

/** The quotas in a column. */
export function quotasOf(stored: unknown): AccountQuotas {
  return stored === null || stored === undefined ? NO_QUOTAS : quotasSchema.parse(stored);
}

// For operators.

interface QuotasView extends Readonly<Record<QuotaName, number | 'none'>> {
  readonly accountId: string;
  readonly rowsUsed: number;
  readonly bytesUsed: number;
  readonly uploadsUsed: number;
  readonly stagesUsed: number;
}

/** The quotas of an account, and what is used of them. @throws DomainError not-found */
export async function showQuotas(db: Db, accountId: string): Promise<QuotasView> {
  await requireAccount(db, accountId);
  const account = await Account.query(db).findById(accountId).throwIfNotFound();
  const quotas = quotasOf(account.quotas);
  return {
    accountId,
    requests: quotas.requests ?? 'none',
    rows: quotas.rows ?? 'none',
    bytes: quotas.bytes ?? 'none',
    uploads: quotas.uploads ?? 'none',
    stages: quotas.stages ?? 'none',
    rowsUsed: await usedOf(db, 'rows', accountId),
    bytesUsed: await usedOf(db, 'bytes', accountId),
    uploadsUsed: await usedOf(db, 'uploads', accountId),
    stagesUsed: await usedOf(db, 'stages', accountId),
  };
}

/** @param changes null: the quota is removed; what is left out stays @throws DomainError not-found */
export async function setQuotas(
  db: Db,
  accountId: string,
  changes: Readonly<Partial<Record<QuotaName, number | null>>>,
): Promise<QuotasView> {
  await requireAccount(db, accountId);
  const account = await Account.query(db).findById(accountId).forNoKeyUpdate().throwIfNotFound();
  const merged = Object.entries({ ...quotasOf(account.quotas), ...changes }).filter(([, limit]) => limit !== null);
  await Account.query(db)
    .findById(accountId)
    .patch({ quotas: merged.length === 0 ? null : quotasSchema.parse(Object.fromEntries(merged)) });
  return showQuotas(db, accountId);
}

// What is used.

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

const usedBytesSql = (account: string) => `
  SELECT coalesce(sum(file.bytes), 0)::bigint AS used FROM site JOIN file ON file.site_id = site.id
  WHERE site.account_id = ${account} AND file.status = 'UPLOADED'`;

const usedUploadsSql = (account: string) =>
  `SELECT count(*)::integer AS used FROM file WHERE account_id = ${account} AND status = 'AWAITING_UPLOAD'`;

const usedStagesSql = (account: string) => `SELECT count(*)::integer AS used FROM site WHERE account_id = ${account}`;

const USED = { rows: usedRowsSql, bytes: usedBytesSql, uploads: usedUploadsSql, stages: usedStagesSql } as const;

async function usedOf(db: Db, name: keyof typeof USED, accountId: string): Promise<number> {
  const { rows } = await db.raw<{ rows: { used: number }[] }>(USED[name]('?'), [accountId]);
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

// Refusing what exceeds a quota.

/** When the client may try again: rows are applied and files deleted in their own time. */
const RETRY_AFTER_SECONDS = { rows: 10, bytes: 300, stages: 3_600 } as const;
const WINDOW_SECONDS = 60;

/** The error for a request that exceeds a quota. */
function exceeded(name: QuotaName, limit: number, message: string, retryAfterSeconds: number): DomainError {
  const window = name === 'requests' ? { windowSeconds: WINDOW_SECONDS } : {};
  return new DomainError('busy', `QUOTA_OF_${name.toUpperCase()}`, message, {
    retryAfterSeconds,
    quota: { name, limit, left: 0, ...window },
  });
}

/** @param stages how many the account has */
export async function requireStageQuota(db: Db, accountId: string, stages: number): Promise<void> {
  const account = await Account.query(db).findById(accountId).select('quotas');
  const { stages: limit } = quotasOf(account?.quotas);
  if (limit === undefined || stages < limit) return;
  const message = `the account may have ${limit} stages, and has ${stages}; use one that exists, or ask the operator for more`;
  throw exceeded('stages', limit, message, RETRY_AFTER_SECONDS.stages);
}

/** What is left of the quota of requests. */
interface RequestsLeft {
  readonly left: number;
  readonly secondsLeft: number;
}

/** The uses of a process's accounts that have quotas. */
export interface QuotaKeeper {
  /** Counts a request. @throws DomainError busy */
  spendRequest(accountId: string, limit: number): Promise<RequestsLeft>;
  /** Checks that rows may be added to the queue, and counts them. @throws DomainError busy */
  requireRows(accountId: string, quotas: AccountQuotas, rows: number): Promise<void>;
  /** Checks that bytes may be added to the file store. @throws DomainError busy */
  requireBytes(accountId: string, quotas: AccountQuotas, bytes: number): Promise<void>;
}

interface Lease {
  left: number;
  /** What the account's processes have leased together. */
  leased: number;
  /** When the minute ends, by the clock of this process. */
  endsAt: number;
  asked: Promise<void> | undefined;
}

/** A process leases this part of a quota at a time. */
const SHARE_OF_QUOTA = 1 / 50;

interface Use {
  readonly readAt: number;
  used: number;
}
/** What is used is read so often at most by each process, for each account with a quota that sends requests. */
const READ_EVERY_MS = { rows: 1_000, bytes: 5_000 } as const;
const MAX_REMEMBERED = 10_000;

/** @param now milliseconds of a clock that nobody sets */
export function createQuotaKeeper(db: Db, now: () => number = () => performance.now()): QuotaKeeper {
  const leases = new Map<string, Lease>();
  const uses = new Map<string, Promise<Use>>();

  async function renew(accountId: string, limit: number, lease: Lease): Promise<void> {
    const share = Math.max(1, Math.ceil(limit * SHARE_OF_QUOTA));
    const { rows } = await db.raw<{ rows: { leased: string; seconds: string }[] }>(LEASE, { accountId, share });
    const { leased = '0', seconds = '0' } = rows[0] ?? {};
    // What is leased beyond the limit is not granted: it only says that nothing is left.
    lease.left = Math.max(0, Math.min(share, limit - (Number(leased) - share)));
    lease.leased = Number(leased);
    lease.endsAt = now() + Number(seconds) * 1_000;
  }

  function leaseOf(accountId: string): Lease {
    const known = leases.get(accountId);
    if (known !== undefined) return known;
    if (leases.size >= MAX_REMEMBERED) leases.clear();
    const made = { left: 0, leased: 0, endsAt: 0, asked: undefined };
    leases.set(accountId, made);
    return made;
  }

  async function used(name: 'rows' | 'bytes', accountId: string): Promise<Use> {
    const key = `${name} ${accountId}`;
    const known = uses.get(key);
    if (known !== undefined && (await known).readAt > now() - READ_EVERY_MS[name]) return known;
    // Requests at the same time share one statement.
    if (uses.get(key) === known) {
      if (uses.size >= MAX_REMEMBERED) uses.clear();
      const readAt = now();
      const reading = usedOf(db, name, accountId).then((sum) => ({ readAt, used: sum }));
      uses.set(key, reading);
      reading.catch(() => uses.delete(key));
    }
    return uses.get(key) ?? used(name, accountId);
  }

  return {
    spendRequest: async (accountId, limit) => {
      const lease = leaseOf(accountId);
      for (;;) {
        const isOver = now() >= lease.endsAt;
        // What is left of an earlier minute is not kept.
        if (isOver) lease.left = 0;
        if (lease.left > 0) break;
        if (!isOver && lease.leased >= limit) {
          const seconds = Math.max(1, Math.ceil((lease.endsAt - now()) / 1_000));
          const message = `the account may send ${limit} requests in a minute, and has sent them; send the next in ${seconds} s`;
          throw exceeded('requests', limit, message, seconds);
        }
        lease.asked ??= renew(accountId, limit, lease).finally(() => {
          lease.asked = undefined;
        });
        await lease.asked;
      }
      lease.left--;
      return {
        left: Math.max(0, limit - lease.leased) + lease.left,
        secondsLeft: Math.max(1, Math.ceil((lease.endsAt - now()) / 1_000)),
      };
    },
    requireRows: async (accountId, { rows: limit }, rows) => {
      if (limit === undefined) return;
      const use = await used('rows', accountId);
      // The rows of a file are not known yet: it needs room for one at least.
      if (use.used + Math.max(1, rows) > limit) {
        const message = `the account may have ${limit} rows in jobs that have not ended, and has ${use.used}${rows > 0 ? `; this request has ${rows}` : ''}; wait for the end of some jobs, or cancel some`;
        throw exceeded('rows', limit, message, RETRY_AFTER_SECONDS.rows);
      }
      use.used += rows;
    },
    requireBytes: async (accountId, { bytes: limit }, bytes) => {
      if (limit === undefined) return;
      const { used: stored } = await used('bytes', accountId);
      if (stored + bytes <= limit && stored < limit) return;
      const message = `the account may have ${limit} bytes in the file store, and has ${stored}${bytes > 0 ? `; this file needs ${bytes}` : ''}; files are deleted with their jobs, or ask the operator for more`;
      throw exceeded('bytes', limit, message, RETRY_AFTER_SECONDS.bytes);
    },
  };
}

/** The minute is that of the database's clock, so that it is the same one for all processes. */
const LEASE = `
  INSERT INTO request_use AS use (account_id, minute, leased) VALUES (:accountId, date_trunc('minute', now()), :share)
  ON CONFLICT (account_id) DO UPDATE SET minute = excluded.minute,
    leased = CASE WHEN use.minute = excluded.minute THEN use.leased + :share ELSE :share END
  RETURNING leased, extract(epoch FROM date_trunc('minute', now()) + interval '${WINDOW_SECONDS} s' - now()) AS seconds`;
