/** Leases shares of rate limits from the database, many in one statement. */
import { arrayText } from '../../../../../db/array-text.js';
import type { Db } from '../../../../../db/connection.js';

export interface AskedRate {
  readonly id: string;
  /** Requests per second. */
  readonly rate: number;
  /** The most requests to be leased. */
  readonly wanted: number;
}

interface GrantedRate {
  readonly granted: number;
  /** The milliseconds until further requests can be leased; 0: they can be at once, or the definition is gone. */
  readonly waitMs: number;
}

export async function leaseRates(db: Db, asked: readonly AskedRate[]): Promise<GrantedRate[]> {
  const granted = await lease(db, asked);
  const unknown = asked.filter(({ id }) => !granted.has(id));
  if (unknown.length > 0) {
    await db.raw(BEGIN, [unknown.map(({ id }) => id)]);
    for (const [id, one] of await lease(db, unknown)) granted.set(id, one);
  }
  // A definition that was deleted has no limit: the delivery will find that out.
  return asked.map(({ id, wanted }) => granted.get(id) ?? { granted: wanted, waitMs: 0 });
}

async function lease(db: Db, asked: readonly AskedRate[]): Promise<Map<string, GrantedRate>> {
  const ids = arrayText(asked.map(({ id }) => id));
  const { rows } = await db.raw<{ rows: (GrantedRate & { id: string })[] }>(LEASE, [
    ids,
    arrayText(asked.map(({ rate }) => rate)),
    arrayText(asked.map(({ wanted }) => wanted)),
    ids,
  ]);
  return new Map(rows.map(({ id, ...one }) => [id, one]));
}

/** The first request to an endpoint with a limit. */
const BEGIN = `
  INSERT INTO endpoint_rate (definition_id, next_at)
  SELECT id, 'epoch' FROM webhook_definition WHERE id = ANY (?::text[]) ORDER BY id
  ON CONFLICT DO NOTHING`;

/**
 * The requests of one second may be sent at once. Processes that ask at the same time wait for each other's lock, and
 * read the clock behind it. Times are milliseconds since 1970, by the clock of the database.
 */
const LEASE = `
  WITH locked AS MATERIALIZED (
    SELECT given.id, given.wanted, 1000.0::double precision / given.rate AS gap, bucket.next_at
    FROM (SELECT * FROM unnest(?::text[], ?::integer[], ?::integer[]) AS one (id, rate, wanted) ORDER BY id) AS given
    CROSS JOIN LATERAL (
      SELECT next_at FROM endpoint_rate WHERE definition_id = given.id COLLATE "C" LIMIT 1 FOR NO KEY UPDATE) AS bucket
  ), timed AS MATERIALIZED (
    SELECT *, extract(epoch FROM clock_timestamp())::double precision * 1000 AS clock FROM locked
  ), begun AS MATERIALIZED (
    SELECT *, greatest(extract(epoch FROM next_at)::double precision * 1000, clock - 1000 + gap) AS first FROM timed
  ), leased AS MATERIALIZED (
    SELECT *, CASE WHEN first > clock THEN 0 ELSE least(wanted, floor((clock - first) / gap)::integer + 1) END AS granted
    FROM begun
  )
  UPDATE endpoint_rate SET next_at = to_timestamp((leased.first + leased.granted * leased.gap) / 1000)
  FROM leased
  WHERE endpoint_rate.definition_id = leased.id COLLATE "C" AND endpoint_rate.definition_id = ANY (?::text[])
  RETURNING leased.id, leased.granted,
    greatest(0, leased.first + leased.granted * leased.gap - leased.clock) AS "waitMs"`;
