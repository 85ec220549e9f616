/** Refuses requests, rows and bytes that exceed a quota. */
import type { Db } from '../../../db/connection.js';
import { counted } from '../kernel/counted.js';
import { exceeded, RETRY_AFTER_SECONDS, WINDOW_SECONDS } from './quota-exceeded.js';
import { usedOf } from './quota-use.js';
import type { AccountQuotas } from './quotas.js';

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
export function createQuotaKeeper(db: Db): QuotaKeeper {
  const leases = new Map<string, Lease>();
  const uses = new Map<string, Promise<Use>>();

  async function renew(accountId: string, limit: number, lease: Lease): Promise<void> {
    const share = Math.max(1, Math.ceil(limit * SHARE_OF_QUOTA));
    const { rows } = await db.raw<{ rows: { leased: string; seconds: string }[] }>(LEASE, { accountId, share });
    const { leased = '0', seconds = '0' } = rows[0] ?? {};
    // What is leased beyond the limit is not granted: it only says that nothing is left.
    lease.left = Math.max(0, Math.min(share, limit - (Number(leased) - share)));
    lease.leased = Number(leased);
    lease.endsAt = performance.now() + Number(seconds) * 1_000;
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
    if (known !== undefined && (await known).readAt > performance.now() - READ_EVERY_MS[name]) return known;
    // Requests at the same time share one statement.
    if (uses.get(key) === known) {
      if (uses.size >= MAX_REMEMBERED) uses.clear();
      const readAt = performance.now();
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
        const isOver = performance.now() >= lease.endsAt;
        // What is left of an earlier minute is not kept.
        if (isOver) lease.left = 0;
        if (lease.left > 0) break;
        if (!isOver && lease.leased >= limit) {
          const seconds = Math.max(1, Math.ceil((lease.endsAt - performance.now()) / 1_000));
          const message = `the account may send ${counted(limit, 'request')} in a minute, and has sent them; send the next in ${seconds} s`;
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
        secondsLeft: Math.max(1, Math.ceil((lease.endsAt - performance.now()) / 1_000)),
      };
    },
    requireRows: async (accountId, { rows: limit }, rows) => {
      if (limit === undefined) return;
      const use = await used('rows', accountId);
      // The rows of a file are not known yet: it needs room for one at least.
      if (use.used + Math.max(1, rows) > limit) {
        const message = `the account may have ${counted(limit, 'row')} in jobs that have not ended, and has ${use.used}${rows > 0 ? `; this request has ${rows}` : ''}; wait for the end of some jobs, or cancel some`;
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
