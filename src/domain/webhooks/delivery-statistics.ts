/** What has become of the deliveries of a site by day. */
import type { Db } from '../../../db/connection.js';
import { beginningOf, type Counted, countedDays, dayOf, type OfDay, type Period } from '../access/period.js';
import { ANY_DESTINATION } from './delivery-rows/delivery-sql.js';

interface DeliveryStatistics {
  /** The earliest time that is counted: fewer days than asked for, where there were too many events. */
  readonly since: Date;
  /** Days with events, the oldest first. */
  readonly days: readonly DeliveryDay[];
}

interface DeliveryDay extends OfDay {
  readonly events: number;
  readonly delivered: number;
  readonly pending: number;
  /** Those that failed permanently, or were cancelled. */
  readonly failed: number;
}

/** So that an answer takes no longer for a site with a million events. */
const MOST_EVENTS = 20_000;

/** Callbacks of jobs count as deliveries, too. */
export async function deliveryStatistics(
  db: Db,
  siteId: number,
  { days, timeZone }: Period,
): Promise<DeliveryStatistics> {
  const since = await beginningOf(db, { days, timeZone });
  const { rows } = await db.raw<{ rows: [Counted<DeliveryDay>] }>(
    `WITH newest AS MATERIALIZED (
       SELECT id, triggered_at FROM event WHERE site_id = :siteId AND triggered_at >= :since::timestamptz
       ORDER BY triggered_at DESC, id DESC LIMIT :most),
     judged AS (
       SELECT ${dayOf('triggered_at')} AS day, own.*
       FROM newest CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE status = 'DELIVERED') AS delivered, count(*) FILTER (WHERE status = 'PENDING') AS pending,
           count(*) FILTER (WHERE status IN ('DEAD', 'CANCELLED')) AS failed
         FROM (SELECT status FROM delivery WHERE event_id = newest.id AND ${ANY_DESTINATION} OFFSET 0) AS of_event) AS own)
     SELECT (SELECT json_agg(of_day ORDER BY day) FROM (
         SELECT day, count(*) AS events, sum(delivered) AS delivered, sum(pending) AS pending, sum(failed) AS failed
         FROM judged GROUP BY day) AS of_day) AS days,
       (SELECT min(triggered_at) FROM newest) AS oldest, (SELECT count(*) FROM newest) AS count`,
    { siteId, since, most: MOST_EVENTS, timeZone },
  );
  return countedDays(since, rows[0], MOST_EVENTS);
}
