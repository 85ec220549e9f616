/** Which bundles hold which other bundles. Items are left out, which keeps the graph small. */
import type { Knex } from 'knex';

/** How deep bundles may be nested; a bundle that holds only items has one level. */
export const MOST_LEVELS = 10;

const NONE: ReadonlySet<string> = new Set();

export class BundleGraph {
  readonly #held = new Map<string, ReadonlySet<string>>();
  readonly #holders = new Map<string, Set<string>>();

  /** The bundles that a bundle holds. */
  heldBy(bundle: string): ReadonlySet<string> {
    return this.#held.get(bundle) ?? NONE;
  }

  /** Replaces the bundles that a bundle holds. */
  set(bundle: string, held: ReadonlySet<string>): void {
    for (const before of this.#held.get(bundle) ?? []) this.#holders.get(before)?.delete(bundle);
    this.#held.set(bundle, held);
    for (const sku of held) {
      const holders = this.#holders.get(sku);
      if (holders === undefined) this.#holders.set(sku, new Set([bundle]));
      else holders.add(bundle);
    }
  }

  /** Finds a path from one of the bundles down to `bundle`, both ends included; null when there is none. */
  pathDown(from: Iterable<string>, bundle: string): string[] | null {
    const cameFrom = new Map<string, string | null>();
    const queue: string[] = [];
    for (const sku of from) {
      cameFrom.set(sku, null);
      queue.push(sku);
    }
    for (const sku of queue) {
      if (sku === bundle) return pathTo(sku, cameFrom);
      for (const held of this.#held.get(sku) ?? []) {
        if (cameFrom.has(held)) continue;
        cameFrom.set(held, sku);
        queue.push(held);
      }
    }
    return null;
  }

  /** Counts the levels if `bundle` holds these, including those above it. The graph must have no cycle. */
  levelsWith(bundle: string, held: Iterable<string>): number {
    return longest(held, this.#held) + 1 + longest(this.#holders.get(bundle) ?? [], this.#holders);
  }
}

function pathTo(end: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let sku: string | null = end; sku !== null; sku = cameFrom.get(sku) ?? null) path.unshift(sku);
  return path;
}

/** Counts the nodes on the longest path from one of the given nodes. */
function longest(from: Iterable<string>, next: ReadonlyMap<string, ReadonlySet<string>>): number {
  const known = new Map<string, number>();
  const lengthFrom = (sku: string): number => {
    const before = known.get(sku);
    if (before !== undefined) return before;
    let most = 0;
    for (const following of next.get(sku) ?? []) most = Math.max(most, lengthFrom(following));
    known.set(sku, most + 1);
    return most + 1;
  };
  let most = 0;
  for (const sku of from) most = Math.max(most, lengthFrom(sku));
  return most;
}

// Deferred bundles. They are recorded, so that the last pass can distinguish a cycle from a missing item.

/** A deferred bundle, and one of the items that it waits for. */
export interface Waiting {
  readonly bundleSku: string;
  readonly sku: string;
}

export async function recordWaiting(trx: Knex.Transaction, jobId: string, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return;
  await trx.raw(
    `INSERT INTO bundle_wait (job_id, bundle_sku, sku)
     SELECT ?, "bundleSku", sku FROM jsonb_to_recordset(?::jsonb) AS waiting ("bundleSku" text, sku text)
     ORDER BY 2, 3 ON CONFLICT ON CONSTRAINT bundle_wait_pk DO NOTHING`,
    [jobId, JSON.stringify(waiting)],
  );
}

/**
 * Finds, among the bundles that still wait in the last pass, those that depend on an item that neither exists nor
 * waits. The others wait for each other.
 */
export async function findBundlesMissingItems(
  trx: Knex.Transaction,
  siteId: number,
  jobId: string,
  skus: readonly string[],
): Promise<Set<string>> {
  if (skus.length === 0) return new Set();
  const result = await trx.raw(
    `WITH RECURSIVE missing AS MATERIALIZED (
       SELECT wait.bundle_sku, wait.sku FROM bundle_wait AS wait LEFT JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND sku = wait.sku LIMIT 1) AS found ON true
       WHERE wait.job_id = :jobId AND found.sku IS NULL
     ), unresolvable (sku) AS (
       SELECT bundle_sku FROM missing
       WHERE NOT EXISTS (SELECT 1 FROM missing AS further WHERE further.bundle_sku = missing.sku)
       UNION
       SELECT missing.bundle_sku FROM unresolvable JOIN missing ON missing.sku = unresolvable.sku
     )
     SELECT sku FROM unresolvable WHERE sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))`,
    { jobId, siteId, skus: JSON.stringify(skus) },
  );
  return new Set(result.rows.map(({ sku }: { sku: string }) => sku));
}
