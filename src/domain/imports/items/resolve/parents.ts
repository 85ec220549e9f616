/** Checks that the parent of a variant exists and is not a variant itself, and provides the parents' values. */
import type { Knex } from 'knex';
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemState } from './item-state.js';
import type { Values } from './relations.js';
import type { StoredItem } from './stored-item.js';

const SHOWN_CHARACTERS = 100;
const NO_VALUES: Values = {};

interface Parent {
  readonly type: ItemTypeCode;
  readonly isVariant: boolean;
  readonly values: Values;
}

/** The parents of a chunk's rows and of their items, including the changes of the rows before the current one. */
export class Parents {
  readonly #changed = new Set<string>();

  private constructor(
    readonly names: FixedNames,
    /** The parents that exist, by SKU. */
    readonly known: Map<string, Parent>,
    /** How many variants the items have that rows make variants. */
    readonly variants: Map<string, number>,
    /** The items that rows make variants. */
    readonly toBeVariants: ReadonlySet<string>,
  ) {}

  /** @param stored the items of the rows that exist */
  static async load(
    trx: Knex.Transaction,
    { siteId, names }: { readonly siteId: number; readonly names: FixedNames },
    drafts: readonly ItemDraft[],
    stored: ReadonlyMap<string, StoredItem>,
  ): Promise<Parents> {
    const named = drafts.filter(({ parentSku }) => typeof parentSku === 'string');
    const skus = new Set(named.map(({ parentSku }) => parentSku ?? ''));
    for (const { parentSku } of stored.values()) if (parentSku !== null) skus.add(parentSku);
    const variants = named.map(({ sku }) => sku);
    return new Parents(
      names,
      await loadParents(trx, siteId, [...skus]),
      await countVariants(trx, siteId, variants),
      new Set(variants),
    );
  }

  /** Returns the problem with the parent that a row names; null when there is none. */
  check({ sku, parentSku }: ItemDraft): RowProblem | null {
    if (typeof parentSku !== 'string') return null;
    const fault = this.#faultOf(sku, parentSku, this.known.get(parentSku));
    if (fault === null) return null;
    return { code: 'PARENT_NOT_FOUND', column: this.names.parent, message: fault, value: parentSku.slice(0, 200) };
  }

  valuesOf(sku: string | null): Values {
    return sku === null ? NO_VALUES : (this.known.get(sku)?.values ?? NO_VALUES);
  }

  /** Whether an earlier row has changed the item. */
  hasChanged(sku: string | null): boolean {
    return sku !== null && this.#changed.has(sku);
  }

  /** Records the new state of the item of a row. */
  record(item: ItemState, stored: StoredItem | undefined): void {
    const before = stored?.parentSku ?? null;
    if (before !== item.parentSku) {
      this.#count(before, -1);
      this.#count(item.parentSku, 1);
    }
    this.#changed.add(item.sku);
    const isVariant = item.parentSku !== null;
    this.known.set(item.sku, { type: item.type, isVariant, values: isVariant ? NO_VALUES : item.document.parse() });
  }

  #count(sku: string | null, change: number): void {
    if (sku === null) return;
    const count = this.variants.get(sku);
    if (count !== undefined) this.variants.set(sku, count + change);
  }

  #faultOf(sku: string, parentSku: string, parent: Parent | undefined): string | null {
    const named = `the parent "${parentSku.slice(0, SHOWN_CHARACTERS)}"`;
    const advice = 'name an item that is not a variant';
    if (parentSku === sku) return `${named} is the item itself; ${advice}`;
    if (parent === undefined) {
      if (this.toBeVariants.has(parentSku)) return `${named} is to be a variant itself; ${advice}`;
      return `${named} does not exist, neither in the catalog nor in this input; ${advice}`;
    }
    if (parent.isVariant) return `${named} is a variant itself; ${advice}`;
    if (parent.type === 'B') return `${named} is a bundle, and bundles have no variants; ${advice}`;
    if ((this.variants.get(sku) ?? 0) === 0) return null;
    return `"${sku.slice(0, SHOWN_CHARACTERS)}" has variants, and so cannot be one itself; leave its parent out`;
  }
}

async function loadParents(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, Parent>> {
  if (skus.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT item.sku, item.type, item.parent_sku IS NOT NULL AS "isVariant", item.attributes AS values
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       SELECT sku, type, parent_sku, attributes FROM item
       WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map(({ sku, ...parent }: Parent & { sku: string }) => [sku, parent]));
}

/** SKU → number of its variants, 0 included. */
async function countVariants(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, number>> {
  if (skus.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT wanted.sku, variants.count
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS count FROM item WHERE site_id = ? AND parent_sku = wanted.sku COLLATE "C") AS variants`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; count: number }) => [row.sku, row.count]));
}
