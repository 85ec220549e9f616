/** The statement that creates a page of the deliveries of an event. */
import { batchedId } from '../delivery-rows/delivery-batch.js';
import { dueOf, FIRST_DISPATCH, orderOf, passes } from '../delivery-rows/delivery-sql.js';
import { SUBSCRIBES } from './subscribes.js';

/** The number of deliveries that a fan-out creates with one statement. */
export const FAN_OUT_PAGE = 250;

/** The unique index skips deliveries that exist: a transaction that seemed lost may have committed. */
export const PAGE = `
  WITH given AS (SELECT :source::text AS source, :names::text[] AS names, :channel::integer AS channel,
    :orderNumber::text AS order_number, :document::text AS document, :orderNo::bigint AS order_no),
  page AS MATERIALIZED (
    SELECT definition.id, definition.ordering, definition.filter, definition.status,
           row_number() OVER (ORDER BY definition.id) - 1 AS nth
    FROM given, webhook_definition AS definition
    WHERE ${SUBSCRIBES} AND definition.id > :after::text COLLATE "C"
    ORDER BY definition.id LIMIT ${FAN_OUT_PAGE}
  ), parsed AS MATERIALIZED (
    SELECT webhook_payload(payload) AS payload FROM event
    WHERE id = :eventId AND EXISTS (SELECT FROM page WHERE filter IS NOT NULL)
  ), made AS (
    INSERT INTO delivery (id, event_id, definition_id, site_id, next_attempt_at, dispatched_at, dispatch, order_key,
                          order_no)
    SELECT ${batchedId("concat(:eventId::text, ' after ', :after::text)", 'nth')}, :eventId, id, :siteId,
           ${dueOf('page')}, ${orderOf('page', 'given')}
    FROM page, given WHERE ${passes('page.filter', '(SELECT payload FROM parsed)')}
    ON CONFLICT DO NOTHING RETURNING id, dispatch
  )
  SELECT (SELECT count(*)::integer FROM page) AS subscribers, (SELECT max(id) FROM page) AS last,
         (SELECT count(*)::integer FROM made) AS created,
         ARRAY(SELECT id FROM made WHERE dispatch = ${FIRST_DISPATCH}) AS made`;
