/** Finds which of the items that are to go cannot, because others refer to them that stay. */
import type { Knex } from 'knex';

/** One that refers to an item, and stays. */
export interface Holder {
  readonly sku: string;
  readonly kind: 'variant' | 'bundle';
}

interface Reference extends Holder {
  /** What it refers to. */
  readonly target: string;
  /** Whether it is to go as well. */
  readonly goes: boolean;
}

/**
 * An item stays if one of its variants does, or a bundle that holds it; then what it refers to itself stays as well.
 * @returns what stays → the first of those that hold it, in the order of SKUs
 */
export async function findHeld(
  trx: Knex.Transaction,
  siteId: number,
  leaving: ReadonlySet<string>,
): Promise<Map<string, Holder>> {
  const references = await loadReferences(trx, siteId, [...leaving]);
  const held = new Map<string, Holder>();
  const ahead: string[] = [];
  const hold = ({ target, sku, kind }: Reference): void => {
    if (held.has(target)) return;
    held.set(target, { sku, kind });
    ahead.push(target);
  };
  const ofLeaving = new Map<string, Reference[]>();
  for (const reference of references) {
    if (!reference.goes) hold(reference);
    else ofLeaving.set(reference.sku, [...(ofLeaving.get(reference.sku) ?? []), reference]);
  }
  for (const sku of ahead) for (const reference of ofLeaving.get(sku) ?? []) hold(reference);
  return held;
}

/**
 * Of each item: all of those that go and refer to it, and the first of those that stay. In the order of SKUs.
 * OFFSET has each item looked up by itself; joined, all that the site has would be read.
 */
async function loadReferences(trx: Knex.Transaction, siteId: number, skus: readonly string[]): Promise<Reference[]> {
  if (skus.length === 0) return [];
  const result = await trx.raw(
    `WITH leaving AS MATERIALIZED (SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C" AS sku),
     reference AS (
       SELECT leaving.sku AS target, variant.sku, 'variant' AS kind FROM leaving CROSS JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND parent_sku = leaving.sku OFFSET 0) AS variant
       UNION ALL
       SELECT leaving.sku, whole.bundle_sku, 'bundle' FROM leaving CROSS JOIN LATERAL (
         SELECT bundle_sku FROM bundle_item WHERE site_id = :siteId AND sku = leaving.sku OFFSET 0) AS whole
     )
     SELECT target, sku, kind, true AS goes FROM reference WHERE sku IN (SELECT sku FROM leaving)
     UNION ALL
     SELECT * FROM (
       SELECT DISTINCT ON (target) target, sku, kind, false FROM reference
       WHERE sku NOT IN (SELECT sku FROM leaving) ORDER BY target, sku) AS first
     ORDER BY target, sku`,
    { siteId, skus: JSON.stringify(skus) },
  );
  return result.rows;
}
