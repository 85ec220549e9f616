/** A hundred thousand dead rows in each table that rows pass through, with their entries in each index that they had. */
import type { Db } from '../../../../db/connection.js';
import { DEFINITIONS_A_SITE } from './laid-deliveries.js';
import { idOf, type Laid } from './laid-ids.js';

/** In each table, but for those whose rows come and go with people: these have a hundredth. */
export const DEAD_ROWS = 100_000;

/**
 * Lays rows as they are when they are due, and deletes them. They stay: nobody vacuums, and a snapshot from before keeps
 * whoever comes by from clearing them away.
 * @param from number of the first
 */
export async function layDeadRows(db: Db, laid: Laid, from: number, count: number): Promise<void> {
  const id = "('dead' || lpad(to_hex(n), 20, '0'))";
  const rows = `generate_series(${from}, ${from + count - 1}) AS n`;
  const few = `generate_series(${from}, ${from + count / 100 - 1}) AS n`;
  const site = `1 + n / 50 % ${laid.sites}`;
  const due = "now() - interval '2 hours' + n * interval '1 millisecond'";
  // Most jobs are requests, carried out in their plan step.
  const step =
    "CASE WHEN n % 50 = 0 THEN 'apply' WHEN n % 50 = 1 THEN 'export' WHEN n % 50 = 2 THEN 'finish' ELSE 'plan' END";
  await withoutTriggers(
    db,
    `INSERT INTO idempotency_key (account_id, key, fingerprint, status, body)
       SELECT ${idOf(laid, 'account', '1')}, 'dead ' || n, '\\x00', 202, '"{}"' FROM ${rows};
     INSERT INTO access_token (id, digest, name, scopes, expires_at)
       SELECT ${id}, sha256(convert_to(${id}, 'UTF8')), 'test', '{}', now() FROM ${few};
     INSERT INTO session (id, digest, token_id, idle_seconds, expires_at)
       SELECT ${id}, sha256(convert_to(${id}, 'UTF8')), ${id}, 3600, now() FROM ${few};
     INSERT INTO job (id, site_id, account_id, type, kind, status, options, shared, step, dispatch, dispatched_at, line_no, started_at)
       SELECT ${id}, ${site}, ${id}, 'ITEM_BULK_UPSERT', 'item', 'SCHEDULED', '{}', n % 3 = 0, ${step}, 1,
              CASE WHEN n % 7 > 0 THEN ${due} END, nextval('job_line_no_seq'), now() FROM ${rows};
     INSERT INTO job_chunk (job_id, idx, status, dispatch, dispatched_at, first_row, row_count, input)
       SELECT ${id}, 0, (ARRAY['pending', 'dispatched'])[1 + n % 2], 1, ${due}, 1, 10, '{}' FROM ${rows};
     INSERT INTO webhook_definition (id, account_id, site_id, target, target_digest, protocol, source, events, secret)
       SELECT ${id}, ${id}, ${site}, 'http://127.0.0.1/', '\\x00', 'HTTP', (ARRAY['OMS', 'CATALOG'])[1 + n % 2], '{*}', '' FROM ${few};
     INSERT INTO event (id, site_id, account_id, source, event, payload, dispatch, dispatched_at, fanned_out_at)
       SELECT ${id}, ${site}, ${id}, 'OMS', 'ORDER_CREATED', '{}', 1, ${due}, CASE WHEN n % 100 > 0 THEN now() END FROM ${rows};
     INSERT INTO delivery (id, event_id, definition_id, site_id, next_attempt_at, dispatched_at)
       SELECT ${id}, ${id}, ${idOf(laid, 'definition', `n % ${laid.sites * DEFINITIONS_A_SITE}`)}, ${site}, ${due}, ${due} FROM ${rows};
     INSERT INTO item (site_id, sku, node_id, attributes) SELECT ${site}, 'dead ' || n, 2, '{}' FROM ${rows};
     INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku) SELECT ${site}, 'dead', sha256(convert_to(n::text, 'UTF8')), 'dead ' || n FROM ${rows};
     INSERT INTO filled_category (site_id, node_id) SELECT ${site}, 2 FROM ${few};`,
  );
  await withoutTriggers(
    db,
    `DELETE FROM idempotency_key WHERE key LIKE 'dead %';
     DELETE FROM access_token WHERE id LIKE 'dead%';
     DELETE FROM session WHERE id LIKE 'dead%';
     DELETE FROM job WHERE id LIKE 'dead%';
     DELETE FROM job_chunk WHERE job_id LIKE 'dead%';
     DELETE FROM webhook_definition WHERE id LIKE 'dead%';
     DELETE FROM event WHERE id LIKE 'dead%';
     DELETE FROM delivery WHERE id LIKE 'dead%';
     DELETE FROM item WHERE sku LIKE 'dead %';
     DELETE FROM item_unique_value WHERE sku LIKE 'dead %';
     DELETE FROM filled_category;`,
  );
}

/** Places of jobs that have ended and were swept away: at the head of the order of each site, where reading begins. */
export async function layDeadOrder(db: Db, laid: Laid, count: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_order (site_id, position, job_id, state, concurrent, dispatch, dispatched_at)
       SELECT CASE WHEN n % 2 = 0 THEN 1 ELSE 1 + n % :sites END, nextval('job_line_no_seq'), 'dead ' || n, 'e', n % 3 = 0, 1, now()
       FROM generate_series(1, :count) AS n`,
    { sites: laid.sites, count },
  );
  await db.raw("DELETE FROM job_order WHERE job_id LIKE 'dead %'");
}

/** Those of foreign keys would be asked for each row. */
async function withoutTriggers(db: Db, statements: string): Promise<void> {
  await db.raw(`BEGIN; SET LOCAL session_replication_role = replica; ${statements} COMMIT`);
}
