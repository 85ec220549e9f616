/** Deferred bundles. They are recorded, so that the last pass can distinguish a cycle from a missing item. */
import type { Knex } from 'knex';

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
