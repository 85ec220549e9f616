/** Rows as the system leaves them, laid by SQL: a handful of them, or a hundred thousand. */
import type { Db } from '../../../../db/connection.js';
import { layCatalog } from './laid-catalog.js';
import { layDeliveries } from './laid-deliveries.js';
import { idOf, type Laid } from './laid-ids.js';
import { layJobs } from './laid-jobs.js';

export const FEW = {
  ...{ sites: 12, ended: 40, waiting: 10, applying: 3, chunks: 20, exports: 4 },
  ...{ definitions: 4, listeners: 60, events: 15, batches: 4, keys: 30, items: 200 },
};

export const MANY = {
  ...{ sites: 1_000, ended: 60_000, waiting: 20_000, applying: 200, chunks: 300, exports: 500 },
  ...{ definitions: 10, listeners: 5_000, events: 8_000, batches: 400, keys: 50_000, items: 50_000 },
};

/** The first site is busy, many want the events of the second, and the last two have items and no jobs. */
export async function layRows(db: Db, laid: Laid): Promise<void> {
  const { sites, keys } = laid;
  await db.raw(`
    INSERT INTO account (id, name) SELECT ${idOf(laid, 'account', 'n')}, 'test' FROM generate_series(1, ${sites}) AS n;
    INSERT INTO site (account_id, stage)
      SELECT ${idOf(laid, 'account', 'n')}, 'production' FROM generate_series(1, ${sites}) AS n;
    INSERT INTO access_token (id, digest, account_id, name, scopes)
      SELECT ${idOf(laid, 'token', 'n')}, sha256(convert_to('token ' || n, 'UTF8')), ${idOf(laid, 'account', 'n')}, 'test', '{}'
      FROM generate_series(1, ${sites}) AS n;
    INSERT INTO session (id, digest, token_id, idle_seconds, expires_at)
      SELECT 'session ' || n, sha256(convert_to('session ' || n, 'UTF8')), ${idOf(laid, 'token', 'n')}, 3600, now() + interval '1 day'
      FROM generate_series(1, ${sites}) AS n;
    INSERT INTO idempotency_key (account_id, key, fingerprint, status, body)
      SELECT ${idOf(laid, 'account', '1')}, 'key ' || n, '\\x00', 202, '"{}"' FROM generate_series(1, ${keys}) AS n;
  `);
  await layCatalog(db, laid);
  await layJobs(db, laid);
  await layDeliveries(db, laid);
}
