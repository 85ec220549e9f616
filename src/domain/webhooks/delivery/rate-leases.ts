/**
 * Leases shares of rate limits, so that a limit holds for all worker processes together. A process leases the requests
 * of a tenth of a second, and may send them for half a second: if it ends meanwhile, no more than these are lost. What
 * has no rate limit never comes here.
 */
import { arrayText } from '../../../../db/array-text.js';
import type { Db } from '../../../../db/connection.js';
import { createBatcher } from '../../../platform/concurrency/batcher.js';

interface LeaseOptions {
  readonly db: Db;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Resolves to 0 if a request may be sent now, otherwise to the milliseconds until one may be. */
export type RateLeases = (definitionId: string, rate: number) => Promise<number>;

interface Lease {
  /** Requests that are leased and not sent. */
  left: number;
  leftUntil: number;
  /** Until then no other process gets more either. */
  noneUntil: number;
  /** Deliveries that wait for the lease that is being asked for. */
  waiting: number;
  asked: Promise<void> | undefined;
}

const SHARE_SECONDS = 0.1;
const LEASED_FOR_MS = 500;
const MAX_ASKED = 200;
/** Above so many, those that are not in use are forgotten. */
const MANY_LEASES = 1_000;

export function createRateLeases({ db, now }: LeaseOptions): RateLeases {
  const leases = new Map<string, Lease>();
  const ask = createBatcher({
    lingerMs: 0,
    maxItems: MAX_ASKED,
    run: (asked: readonly AskedRate[]) => leaseRates(db, asked),
  });

  function leaseOf(id: string): Lease {
    const known = leases.get(id);
    if (known !== undefined) return known;
    if (leases.size >= MANY_LEASES) forgetUnused();
    const made = { left: 0, leftUntil: 0, noneUntil: 0, waiting: 0, asked: undefined };
    leases.set(id, made);
    return made;
  }

  function forgetUnused(): void {
    const at = now();
    for (const [id, { leftUntil, noneUntil, waiting }] of leases) {
      if (leftUntil <= at && noneUntil <= at && waiting === 0) leases.delete(id);
    }
  }

  async function renew(id: string, rate: number, lease: Lease): Promise<void> {
    // From before the statement: the database may have counted the lease long before the answer arrives.
    const leftUntil = now() + LEASED_FOR_MS;
    const wanted = Math.max(Math.ceil(rate * SHARE_SECONDS), lease.waiting);
    const { granted, waitMs } = await ask({ id, rate, wanted });
    Object.assign(lease, { left: granted, leftUntil, noneUntil: now() + waitMs });
  }

  return async (id, rate) => {
    const lease = leaseOf(id);
    for (;;) {
      const at = now();
      if (lease.left > 0 && at < lease.leftUntil) {
        lease.left--;
        return 0;
      }
      if (at < lease.noneUntil) return Math.ceil(lease.noneUntil - at);
      lease.waiting++;
      lease.asked ??= renew(id, rate, lease).finally(() => (lease.asked = undefined));
      try {
        await lease.asked;
      } finally {
        lease.waiting--;
      }
    }
  };
}

interface AskedRate {
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

/** @internal exported for tests */
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
