/** Which bundles hold which: kept small by leaving out what is no bundle. */
import type { Knex } from 'knex';

/** How deep bundles may be nested: a bundle of items alone has one level. */
export const MOST_LEVELS = 10;

export class BundleGraph {
  readonly #held = new Map<string, ReadonlySet<string>>();
  readonly #holders = new Map<string, Set<string>>();

  /** Says which bundles a bundle holds, instead of those that it held. */
  set(bundle: string, held: ReadonlySet<string>): void {
    for (const before of this.#held.get(bundle) ?? []) this.#holders.get(before)?.delete(bundle);
    this.#held.set(bundle, held);
    for (const sku of held) {
      const holders = this.#holders.get(sku);
      if (holders === undefined) this.#holders.set(sku, new Set([bundle]));
      else holders.add(bundle);
    }
  }

  /** The way from one of the bundles down to `bundle`, both ends included; null: there is none. */
  wayDown(from: Iterable<string>, bundle: string): string[] | null {
    const cameFrom = new Map<string, string | null>();
    const ahead: string[] = [];
    for (const sku of from) {
      cameFrom.set(sku, null);
      ahead.push(sku);
    }
    for (const sku of ahead) {
      if (sku === bundle) return wayTo(sku, cameFrom);
      for (const held of this.#held.get(sku) ?? []) {
        if (cameFrom.has(held)) continue;
        cameFrom.set(held, sku);
        ahead.push(held);
      }
    }
    return null;
  }

  /** Levels of a bundle that holds these, itself and those above it included. There is no cycle among them. */
  levelsWith(bundle: string, held: Iterable<string>): number {
    return longest(held, this.#held) + 1 + longest(this.#holders.get(bundle) ?? [], this.#holders);
  }
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const way: string[] = [];
  for (let sku: string | null = end; sku !== null; sku = cameFrom.get(sku) ?? null) way.unshift(sku);
  return way;
}

/** Nodes on the longest way from one of those given. */
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

// Bundles of a job that wait for what they hold: noted, so that the last wave can tell a circle from what is missing.

/** A bundle that was put off, and one of the things that it waits for. */
export interface Waiting {
  readonly bundleSku: string;
  readonly sku: string;
}

export async function noteWaiting(trx: Knex.Transaction, jobId: string, waiting: readonly Waiting[]): Promise<void> {
  if (waiting.length === 0) return;
  await trx.raw(
    `INSERT INTO bundle_wait (job_id, bundle_sku, sku)
     SELECT ?, "bundleSku", sku FROM jsonb_to_recordset(?::jsonb) AS waiting ("bundleSku" text, sku text)
     ORDER BY 2, 3 ON CONFLICT ON CONSTRAINT bundle_wait_pk DO NOTHING`,
    [jobId, JSON.stringify(waiting)],
  );
}

/**
 * Of bundles that waited to the end, those whose way down leads to something that neither exists nor waits. The others
 * wait for each other.
 */
export async function findWaitingInVain(
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
     ), vain (sku) AS (
       SELECT bundle_sku FROM missing
       WHERE NOT EXISTS (SELECT 1 FROM missing AS further WHERE further.bundle_sku = missing.sku)
       UNION
       SELECT missing.bundle_sku FROM vain JOIN missing ON missing.sku = vain.sku
     )
     SELECT sku FROM vain WHERE sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))`,
    { jobId, siteId, skus: JSON.stringify(skus) },
  );
  return new Set(result.rows.map(({ sku }: { sku: string }) => sku));
}
