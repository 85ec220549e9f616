/**
 * The items that refer to items which rows delete, or whose place a bundle takes again: their variants, and the bundles that
 * hold them.
 */
import type { Knex } from 'knex';
import { storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { type Holder, REFERENCES, whyHeld } from '../../deletions/find-held.js';
import type { FixedNames } from '../read/item-columns.js';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemState } from './item-state.js';

interface Reference extends Holder {
  /** The SKU that it refers to. */
  readonly target: string;
}

/** What still refers to each of these items, including the changes of the rows before the current one. */
export class Holders {
  /** Holder → the items that it refers to. */
  readonly #held = new Map<string, readonly string[]>();

  private constructor(
    readonly names: FixedNames,
    /** The item → its holders by SKU. */
    readonly holders: ReadonlyMap<string, Map<string, Holder>>,
  ) {}

  static async load(
    trx: Knex.Transaction,
    { siteId, names }: { readonly siteId: number; readonly names: FixedNames },
    drafts: readonly ItemDraft[],
  ): Promise<Holders> {
    const leaving = drafts.flatMap(({ revert, sku, type }) =>
      revert === 'delete' || (revert === 'restore' && type === 'B') ? [sku] : [],
    );
    const holders = new Holders(names, new Map(leaving.map((sku) => [sku, new Map()])));
    if (leaving.length === 0) return holders;
    const skus = drafts.map(({ sku }) => sku);
    for (const { target, sku, kind } of await loadReferences(trx, siteId, leaving, skus)) {
      holders.holders.get(target)?.set(sku, { sku, kind });
      holders.#held.set(sku, [...(holders.#held.get(sku) ?? []), target]);
    }
    return holders;
  }

  /** The first item that refers to one that is to be deleted. */
  firstOf(sku: string): Holder | undefined {
    const [first] = this.holders.get(sku)?.values() ?? [];
    return first;
  }

  /** The first variant of an item that is to be a bundle, which has none. */
  firstVariantOf(sku: string): Holder | undefined {
    for (const holder of this.holders.get(sku)?.values() ?? []) if (holder.kind === 'variant') return holder;
    return undefined;
  }

  problem(sku: string, holder: Holder): RowProblem {
    const message = `${whyHeld(holder)}, and is not taken back; change or delete "${storable(holder.sku, 100)}" first`;
    return { code: 'ITEM_IN_USE', column: this.names.sku, message, value: storable(sku, 200) };
  }

  /** Records the new state of the item of a row. @returns what takes it back */
  record({ sku, type, parentSku, components }: ItemState): () => void {
    if (this.holders.size === 0) return NOTHING;
    // A bundle whose components are not written holds what it held before.
    if (type === 'B')
      return components === null ? NOTHING : this.#replace({ sku, kind: 'bundle' }, components.map(skuOf));
    return this.#replace({ sku, kind: 'variant' }, parentSku === null ? [] : [parentSku]);
  }

  /** Records that an item is deleted. @returns what takes it back */
  remove(sku: string): () => void {
    return this.#replace({ sku, kind: 'variant' }, []);
  }

  #replace(holder: Holder, targets: readonly string[]): () => void {
    const { sku } = holder;
    const before = this.#held.get(sku) ?? [];
    const removed = before.map((target) => [target, this.holders.get(target)?.get(sku)] as const);
    const set = (): void => {
      for (const target of before) this.holders.get(target)?.delete(sku);
      for (const target of targets) this.holders.get(target)?.set(sku, holder);
      this.#held.set(sku, targets);
    };
    set();
    return () => {
      for (const target of targets) this.holders.get(target)?.delete(sku);
      for (const [target, one] of removed) if (one !== undefined) this.holders.get(target)?.set(sku, one);
      this.#held.set(sku, before);
    };
  }
}

function NOTHING(): void {}

function skuOf({ sku }: { readonly sku: string }): string {
  return sku;
}

/**
 * Loads, for each item, all items among the rows that refer to it, and the first other one of each kind, in the order of SKUs:
 * an item may have a million variants. OFFSET makes Postgres look up each item separately.
 */
async function loadReferences(
  trx: Knex.Transaction,
  siteId: number,
  leaving: readonly string[],
  rows: readonly string[],
): Promise<Reference[]> {
  const result = await trx.raw<{ rows: Reference[] }>(
    `WITH leaving AS MATERIALIZED (SELECT jsonb_array_elements_text(:leaving::jsonb) COLLATE "C" AS sku),
     own AS MATERIALIZED (SELECT jsonb_array_elements_text(:rows::jsonb) COLLATE "C" AS sku),
     reference AS MATERIALIZED (
       ${REFERENCES}
     )
     SELECT target, sku, kind FROM reference WHERE sku IN (SELECT sku FROM own)
     UNION ALL
     SELECT * FROM (
       SELECT DISTINCT ON (target, kind) target, sku, kind FROM reference
       WHERE sku NOT IN (SELECT sku FROM own) ORDER BY target, kind, sku) AS first
     ORDER BY target, sku`,
    { siteId, leaving: JSON.stringify(leaving), rows: JSON.stringify(rows) },
  );
  return result.rows;
}
