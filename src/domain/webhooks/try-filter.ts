/** Tries a filter on stored events, by what the statements that emit events use: the two cannot differ. */
import type { Db } from '../../../db/connection.js';
import { isId } from '../kernel/identifier.js';
import { passes } from './delivery-rows/delivery-sql.js';

interface TriedEvent {
  readonly eventRequestId: string;
  /** Whether a definition with this filter would get the event. */
  readonly passes: boolean;
}

const TRY = `
  SELECT id AS "eventRequestId", ${passes(':filter::text', 'webhook_payload(event.payload)')} AS passes
  FROM event WHERE id = ANY (:ids::text[]) AND site_id = :siteId`;

/**
 * @param filter the text of a valid filter; null passes every event
 * @returns those of the events that the site has, in the order of their ids here
 */
export async function tryFilter(
  db: Db,
  siteId: number,
  filter: string | null,
  eventRequestIds: readonly string[],
): Promise<TriedEvent[]> {
  const ids = eventRequestIds.filter(isId);
  const { rows } = await db.raw<{ rows: TriedEvent[] }>(TRY, { siteId, filter, ids });
  const found = new Map(rows.map((row) => [row.eventRequestId, row]));
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? []);
}
