/** Sees to it that a variant's parent exists, and that there are no variants of variants. */
import type { Knex } from 'knex';
import type { RowProblem } from '../row-problem.js';
import type { FixedNames } from './item-columns.js';
import type { ItemDraft } from './item-draft.js';

const SHOWN_CHARACTERS = 100;

/**
 * Looks at variants in row order: each is judged by what is stored and by the rows before it.
 * @param drafts variants: each names a parent
 * @returns what is wrong with those that cannot be a variant of the parent they name, by row
 */
export async function findOrphans(
  trx: Knex.Transaction,
  { siteId, names }: { readonly siteId: number; readonly names: FixedNames },
  drafts: readonly ItemDraft[],
): Promise<Map<number, RowProblem>> {
  const orphans = new Map<number, RowProblem>();
  if (drafts.length === 0) return orphans;
  const isVariant = await loadParents(trx, siteId, [...new Set(drafts.map(parentOf))]);
  const hasVariants = await loadThoseWithVariants(
    trx,
    siteId,
    drafts.map(({ sku }) => sku),
  );
  const variants = new Set(drafts.map(({ sku }) => sku));
  for (const draft of drafts) {
    const { row, sku } = draft;
    const parentSku = parentOf(draft);
    const fault = faultOf(sku, parentSku, isVariant.get(parentSku), hasVariants.has(sku), variants);
    if (fault === null) {
      isVariant.set(sku, true);
      hasVariants.add(parentSku);
    } else {
      orphans.set(row, {
        code: 'PARENT_NOT_FOUND',
        column: names.parent,
        message: fault,
        value: parentSku.slice(0, 200),
      });
    }
  }
  return orphans;
}

function parentOf({ parentSku }: ItemDraft): string {
  return parentSku ?? '';
}

/** @param parentIsVariant undefined: the parent does not exist */
function faultOf(
  sku: string,
  parentSku: string,
  parentIsVariant: boolean | undefined,
  hasVariants: boolean,
  variants: ReadonlySet<string>,
): string | null {
  const parent = `the parent "${parentSku.slice(0, SHOWN_CHARACTERS)}"`;
  const advice = 'name an item that is no variant';
  if (parentSku === sku) return `${parent} is the item itself; ${advice}`;
  if (parentIsVariant === true) return `${parent} is a variant itself; ${advice}`;
  if (parentIsVariant === undefined) {
    if (variants.has(parentSku)) return `${parent} is to be a variant itself; ${advice}`;
    return `${parent} does not exist, neither in the catalog nor in this input; ${advice}`;
  }
  if (!hasVariants) return null;
  return `"${sku.slice(0, SHOWN_CHARACTERS)}" has variants, and so cannot be one itself; leave its parent out`;
}

/** Of the SKUs that exist, whether they are variants. */
async function loadParents(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, boolean>> {
  const result = await trx.raw(
    `SELECT item.sku, item.parent_sku IS NOT NULL AS variant
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, parent_sku FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; variant: boolean }) => [row.sku, row.variant]));
}

async function loadThoseWithVariants(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Set<string>> {
  const result = await trx.raw(
    `SELECT variant.parent_sku AS sku
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       SELECT parent_sku FROM item WHERE site_id = ? AND parent_sku = wanted.sku COLLATE "C" LIMIT 1) AS variant`,
    [JSON.stringify(skus), siteId],
  );
  return new Set(result.rows.map((row: { sku: string }) => row.sku));
}
