/**
 * Reads overdue deliveries for the reconciler: every endpoint has a share, so that no backlog hides what others
 * lost.
 */
import type { Db } from '../../../db/connection.js';
import type { DueDelivery } from './delivery-rows/due-delivery.js';
import type { Position } from './redispatch/position.js';

/** The id of a definition. Callbacks that belong to no definition count as one endpoint: null. */
type Endpoint = string | null;

/** A delivery that was due long ago, and its endpoint. */
interface OverdueDelivery extends DueDelivery {
  readonly endpoint: Endpoint;
}

/** Endpoints with overdue deliveries that are read in one pass. */
const MAX_ENDPOINTS = 100;
/** Endpoints with pending deliveries, overdue or not, that are looked at in one pass. */
const MAX_WALKED = 1_000;

/**
 * Goes round through all endpoints, and round through the overdue deliveries of each. So every overdue delivery is read
 * after a number of passes that depends on the number of endpoints and on the backlog of its own endpoint alone. The
 * positions are in memory: a new process begins from the start.
 */
export class OverdueDeliveries {
  /** The last endpoint of the previous pass; null: the walk begins from the start. */
  #after: string | null = null;
  /** Only of endpoints whose lap has not ended. */
  readonly #positions = new Map<Endpoint, Position>();

  /** Returns the next endpoints that have deliveries which were due more than `graceMs` ago. */
  async nextEndpoints(db: Db, graceMs: number): Promise<Endpoint[]> {
    const { rows } = await db.raw<{ rows: Walked[] }>(WALK, { after: this.#after ?? '', graceMs });
    const last = rows.at(-1);
    const stopped = last !== undefined && (last.nth === MAX_WALKED || last.found === MAX_ENDPOINTS);
    this.#after = stopped ? last.endpoint : null;
    const overdue = rows.filter(({ is_overdue }) => is_overdue).map(({ endpoint }) => endpoint);
    return stopped ? overdue : [...overdue, null];
  }

  /** Reads on in the laps of these endpoints: about `most` deliveries in all, and of each endpoint equally many. */
  async read(db: Db, graceMs: number, endpoints: readonly Endpoint[], most: number): Promise<OverdueDelivery[]> {
    if (endpoints.length === 0) return [];
    const share = Math.max(1, Math.floor(most / endpoints.length));
    const given = endpoints.map((endpoint) => ({ endpoint, ...this.#positions.get(endpoint) }));
    const { rows } = await db.raw<{ rows: Read[] }>(READ, { given: JSON.stringify(given), graceMs, share });
    for (const endpoint of endpoints) {
      const page = rows.filter((row) => row.endpoint === endpoint);
      const last = page[share - 1];
      if (last === undefined) this.#positions.delete(endpoint);
      else this.#positions.set(endpoint, { at: last.due_at, id: last.id, until: last.until });
    }
    return rows;
  }

  /** Whether overdue deliveries of this endpoint are left in its lap. */
  hasMore(endpoint: Endpoint): boolean {
    return this.#positions.has(endpoint);
  }
}

interface Walked {
  readonly endpoint: string;
  readonly is_overdue: boolean;
  /** The number of endpoints that were looked at so far, and of those among them with overdue deliveries. */
  readonly nth: number;
  readonly found: number;
}

/** The next definition with pending deliveries, of which the first is the one that is due first. */
const nextOf = (after: string): string => `
  SELECT definition_id AS endpoint, next_attempt_at < now() - :graceMs * interval '1 millisecond' AS is_overdue
  FROM delivery WHERE status = 'PENDING' AND definition_id > ${after} COLLATE "C"
  ORDER BY definition_id, next_attempt_at, id LIMIT 1`;

/** One descent of delivery_endpoint_ix for each endpoint, however many deliveries it has. */
const WALK = `
  WITH RECURSIVE walked AS (
    SELECT endpoint, is_overdue, 1 AS nth, is_overdue::integer AS found FROM (${nextOf(':after')}) AS first
    UNION ALL
    SELECT next.endpoint, next.is_overdue, walked.nth + 1, walked.found + next.is_overdue::integer
    FROM walked CROSS JOIN LATERAL (${nextOf('walked.endpoint')}) AS next
    WHERE walked.nth < ${MAX_WALKED} AND walked.found < ${MAX_ENDPOINTS}
  )
  SELECT endpoint, is_overdue, nth, found FROM walked ORDER BY nth`;

interface Read extends OverdueDelivery {
  readonly due_at: string;
  readonly until: string;
}

/** Only PENDING deliveries have `next_attempt_at`. The order is that of delivery_endpoint_ix, also for no definition. */
const readOf = (given: string, same: string): string => `
  SELECT given.endpoint, due.id, due.lane, due.dispatch, due.next_attempt_at::text AS due_at, given.until::text AS until
  FROM given CROSS JOIN LATERAL (
    SELECT id, lane, dispatch, next_attempt_at FROM delivery
    WHERE ${same} AND status = 'PENDING' AND next_attempt_at < given.until
      AND (next_attempt_at, id) > (given.at, given.id COLLATE "C")
    ORDER BY definition_id, next_attempt_at, id LIMIT :share) AS due
  WHERE ${given}`;

const READ = `
  WITH given AS MATERIALIZED (
    SELECT endpoint, coalesce(at, '-infinity') AS at, coalesce(id, '') AS id,
           coalesce(until, now() - :graceMs * interval '1 millisecond') AS until
    FROM jsonb_to_recordset(:given::jsonb) AS one (endpoint text, at timestamptz, id text, until timestamptz)
  )
  ${readOf('given.endpoint IS NOT NULL', 'definition_id = given.endpoint COLLATE "C"')}
  UNION ALL
  ${readOf('given.endpoint IS NULL', 'definition_id IS NULL')}`;
