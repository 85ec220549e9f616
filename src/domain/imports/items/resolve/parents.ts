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

/** What is wrong with the parent that a row names. */
interface ParentFault {
  readonly problem: RowProblem;
  /** The items whose rows may solve it; empty when no row can. */
  readonly about: readonly string[];
}

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
    /** The items that have rows, by the parents that they have now. */
    readonly variantsWithRows: ReadonlyMap<string, readonly string[]>,
    /** The items whose changes matter to other rows. */
    readonly named: ReadonlySet<string>,
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
    const variantsWithRows = new Map<string, string[]>();
    for (const { sku, parentSku } of stored.values()) {
      if (parentSku === null) continue;
      skus.add(parentSku);
      const siblings = variantsWithRows.get(parentSku);
      if (siblings === undefined) variantsWithRows.set(parentSku, [sku]);
      else siblings.push(sku);
    }
    const variants = named.map(({ sku }) => sku);
    return new Parents(
      names,
      await loadParents(trx, siteId, [...skus]),
      await countVariants(trx, siteId, variants),
      new Set(variants),
      variantsWithRows,
      skus,
    );
  }

  /** Returns what is wrong with the parent that a row names; null when nothing is. */
  check({ sku, type, parentSku, revert }: ItemDraft): ParentFault | null {
    // A bundle is to have none, whichever it names.
    if (typeof parentSku !== 'string' || type === 'B') return null;
    const fault = this.#faultOf(sku, parentSku, this.known.get(parentSku));
    if (fault === null) return null;
    const { message } = fault;
    // In a revert, an item may take the place of a bundle again.
    const about = revert === undefined ? fault.about : [parentSku];
    const column = this.names.parent;
    return { problem: { code: 'PARENT_NOT_FOUND', column, message, value: parentSku.slice(0, 200) }, about };
  }

  valuesOf(sku: string | null): Values {
    return sku === null ? NO_VALUES : (this.known.get(sku)?.values ?? NO_VALUES);
  }

  /** Whether an earlier row has changed the item. */
  hasChanged(sku: string | null): boolean {
    return sku !== null && this.#changed.has(sku);
  }

  /** Records the new state of the item of a row. @returns what takes it back */
  record(item: ItemState, stored: StoredItem | undefined): () => void {
    const { sku, type, parentSku } = item;
    const before = stored?.parentSku ?? null;
    const isMoved = before !== parentSku;
    if (isMoved) {
      this.#count(before, -1);
      this.#count(parentSku, 1);
    }
    const uncount = (): void => {
      if (!isMoved) return;
      this.#count(before, 1);
      this.#count(parentSku, -1);
    };
    if (!this.named.has(sku)) return uncount;
    const known = this.known.get(sku);
    const wasChanged = this.#changed.has(sku);
    const isVariant = parentSku !== null;
    this.#changed.add(sku);
    this.known.set(sku, { type, isVariant, values: isVariant ? NO_VALUES : item.document.parse() });
    return () => {
      uncount();
      if (!wasChanged) this.#changed.delete(sku);
      if (known === undefined) this.known.delete(sku);
      else this.known.set(sku, known);
    };
  }

  /** Records that an item is deleted. @returns what takes it back */
  remove(sku: string, stored: StoredItem | undefined): () => void {
    const before = stored?.parentSku ?? null;
    const known = this.known.get(sku);
    const wasChanged = this.#changed.has(sku);
    this.#count(before, -1);
    this.known.delete(sku);
    this.#changed.add(sku);
    return () => {
      this.#count(before, 1);
      if (known !== undefined) this.known.set(sku, known);
      if (!wasChanged) this.#changed.delete(sku);
    };
  }

  #count(sku: string | null, change: number): void {
    if (sku === null) return;
    const count = this.variants.get(sku);
    if (count !== undefined) this.variants.set(sku, count + change);
  }

  #faultOf(
    sku: string,
    parentSku: string,
    parent: Parent | undefined,
  ): { readonly message: string; readonly about: readonly string[] } | null {
    const named = `the parent "${parentSku.slice(0, SHOWN_CHARACTERS)}"`;
    const advice = 'name an item that is not a variant';
    if (parentSku === sku) return { message: `${named} is the item itself; ${advice}`, about: [] };
    const about = [parentSku];
    if (parent === undefined) {
      if (this.toBeVariants.has(parentSku)) return { message: `${named} is to be a variant itself; ${advice}`, about };
      const message = `${named} does not exist, neither in the catalog nor among the rows of this input that were applied; import it first, or ${advice}`;
      return { message, about };
    }
    if (parent.isVariant) return { message: `${named} is a variant itself; ${advice}`, about };
    if (parent.type === 'B')
      return { message: `${named} is a bundle, and bundles have no variants; ${advice}`, about: [] };
    if ((this.variants.get(sku) ?? 0) === 0) return null;
    const message = `"${sku.slice(0, SHOWN_CHARACTERS)}" has variants, and so cannot be one itself; leave its parent out`;
    return { message, about: this.variantsWithRows.get(sku) ?? [] };
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
