/** Finds the items that cannot be deleted, because items that remain refer to them. */
import type { Knex } from 'knex';
import { storable } from '../../kernel/characters.js';
import { groupedBy } from '../../kernel/grouped-by.js';

/** An item that refers to another one and remains. */
export interface Holder {
  readonly sku: string;
  readonly kind: 'variant' | 'bundle';
}

/** The beginning of a message that says why an item cannot be deleted. */
export function whyHeld({ sku, kind }: Holder): string {
  const shown = storable(sku, 100);
  return kind === 'variant' ? `"${shown}" is a variant of it` : `the bundle "${shown}" holds it`;
}

interface Reference extends Holder {
  /** The SKU that it refers to. */
  readonly target: string;
  /** Whether the job is to delete it as well. */
  readonly isDeleted: boolean;
}

/**
 * An item remains if one of its variants remains or a bundle that holds it; the items that it refers to remain as well.
 * @returns remaining item → the first item that refers to it, in the order of SKUs
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
  for (const reference of references) if (!reference.isDeleted) hold(reference);
  const ofLeaving = groupedBy(
    references.filter(({ isDeleted }) => isDeleted),
    ({ sku }) => sku,
  );
  for (const sku of ahead) for (const reference of ofLeaving.get(sku) ?? []) hold(reference);
  return held;
}

/** SQL: the items that refer to those of `leaving`. OFFSET makes Postgres look up each of them separately. */
export const REFERENCES = `
       SELECT leaving.sku AS target, variant.sku, 'variant' AS kind FROM leaving CROSS JOIN LATERAL (
         SELECT sku FROM item WHERE site_id = :siteId AND parent_sku = leaving.sku OFFSET 0) AS variant
       UNION ALL
       SELECT leaving.sku, holder.bundle_sku, 'bundle' FROM leaving CROSS JOIN LATERAL (
         SELECT bundle_sku FROM bundle_item WHERE site_id = :siteId AND sku = leaving.sku OFFSET 0) AS holder`;

/**
 * Loads, for each item, all items to be deleted that refer to it, and the first remaining one, in the order of SKUs.
 * OFFSET makes Postgres look up each item separately; a join could read all items of the site.
 */
async function loadReferences(trx: Knex.Transaction, siteId: number, skus: readonly string[]): Promise<Reference[]> {
  if (skus.length === 0) return [];
  const result = await trx.raw(
    `WITH leaving AS MATERIALIZED (SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C" AS sku),
     reference AS (
       ${REFERENCES}
     )
     SELECT target, sku, kind, true AS "isDeleted" FROM reference WHERE sku IN (SELECT sku FROM leaving)
     UNION ALL
     SELECT * FROM (
       SELECT DISTINCT ON (target) target, sku, kind, false FROM reference
       WHERE sku NOT IN (SELECT sku FROM leaving) ORDER BY target, sku) AS first
     ORDER BY target, sku`,
    { siteId, skus: JSON.stringify(skus) },
  );
  return result.rows;
}
