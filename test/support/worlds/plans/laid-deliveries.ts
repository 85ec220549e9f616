/** Webhook definitions, events, and deliveries that have ended or are due. */
import type { Db } from '../../../../db/connection.js';
import { deliveryIdOf, idOf, type Laid } from './laid-ids.js';

/** Definitions of a site that events are of: all of them are to hear each. */
export const DEFINITIONS_A_SITE = 50;
/** Sites that events are of, from the third on. */
export const EMITTERS = 7;

export async function layDeliveries(db: Db, laid: Laid): Promise<void> {
  const { sites, definitions, listeners, events, batches } = laid;
  const account = (site: string) => idOf(laid, 'account', site);
  const columns = 'id, account_id, site_id, target, target_digest, protocol, source, events, secret';
  const definition = (nth: string) => idOf(laid, 'definition', `site * ${DEFINITIONS_A_SITE} + ${nth}`);
  const site = `LATERAL (SELECT 3 + n % ${EMITTERS} AS site) AS emitter`;
  await db.raw(`
    INSERT INTO webhook_definition (${columns})
      SELECT ${definition('n')}, ${account('site')}, site, 'http://127.0.0.1/', sha256(convert_to(n::text, 'UTF8')), 'HTTP',
             CASE WHEN n % 2 = 0 THEN 'OMS' ELSE 'CATALOG' END,
             CASE WHEN n % 2 = 0 THEN ARRAY['ORDER_CREATED'] ELSE ARRAY['JOB_COMPLETED', 'ITEM_CREATED'] END, ''
      FROM generate_series(1, ${sites}) AS site,
      generate_series(0, CASE WHEN site BETWEEN 3 AND ${2 + EMITTERS} THEN ${DEFINITIONS_A_SITE} ELSE ${definitions} END - 1) AS n
      WHERE site <> 2;
    INSERT INTO webhook_definition (${columns})
      SELECT ${idOf(laid, 'listener', 'n')}, ${account('2')}, 2, 'http://127.0.0.1/', sha256(convert_to(n::text, 'UTF8')), 'HTTP',
             'OMS', '{ORDER_CREATED}', ''
      FROM generate_series(1, ${listeners}) AS n;
    INSERT INTO endpoint_health (definition_id) SELECT id FROM webhook_definition;

    INSERT INTO event (id, site_id, account_id, source, event, payload, deliveries, fanned_out_at)
      SELECT ${idOf(laid, 'event', 'n')}, site, ${account('site')}, 'OMS', 'ORDER_CREATED', repeat('{"amount":10.10}', 20), 20, now()
      FROM generate_series(1, ${batches + events}) AS n, ${site};
    INSERT INTO event (id, site_id, account_id, source, event, payload, dispatch, dispatched_at)
      SELECT ${idOf(laid, 'fanOut', 'n')}, 2, ${account('2')}, 'OMS', 'ORDER_CREATED', '{}', 1, now() - interval '1 hour'
      FROM generate_series(1, 5) AS n;
    -- Some of a backlog have been seen on the queue a moment ago.
    INSERT INTO delivery (id, event_id, definition_id, site_id, next_attempt_at, dispatched_at)
      SELECT ${deliveryIdOf(laid, 'n', 'd')}, ${idOf(laid, 'event', 'n')}, ${definition('d')}, site,
             now() - interval '1 hour', now() + CASE WHEN n <= ${batches / 8} THEN 1 ELSE -1 END * interval '1 hour'
      FROM generate_series(1, ${batches}) AS n, generate_series(0, 49) AS d, ${site} ORDER BY n, d;
    INSERT INTO delivery (id, event_id, definition_id, site_id, status, attempts, next_attempt_at, status_code, completed_at)
      SELECT ${deliveryIdOf(laid, 'n', 'd')}, ${idOf(laid, 'event', 'n')}, ${definition('d')}, site,
             CASE WHEN d = 19 THEN 'DEAD' ELSE 'DELIVERED' END, 1, NULL, 200, now()
      FROM generate_series(${batches + 1}, ${batches + events}) AS n, generate_series(0, 19) AS d, ${site} ORDER BY n, d;
    INSERT INTO delivery_attempt (delivery_id, attempt, outcome, status_code, duration_ms, triggered_at)
      SELECT ${deliveryIdOf(laid, 'n', 'd')}, 1, 'delivered', 200, 3, now()
      FROM generate_series(${batches + 1}, ${batches + events}) AS n, generate_series(0, 19) AS d ORDER BY n, d;
  `);
}
