/** What a file of items, variants and bundles makes of a catalog, told in the simplest way: one row after another, no chunks. */

export interface ModelRow {
  readonly sku: string;
  readonly type?: 'BUNDLE';
  /** Null: leaves its parent. */
  readonly parentSku?: string | null;
  readonly detach?: true;
  /** Null: is to hold nothing. */
  readonly bundleItems?: readonly { readonly sku: string; readonly quantity: number }[] | null;
  /** Of an attribute that variants inherit, and that items need to be LIVE; null: cleared. */
  readonly fabric?: string | null;
  /** Of an attribute that no two items share. */
  readonly gtin?: string;
}

export interface ModelItem {
  readonly type: 'ITEM' | 'BUNDLE';
  readonly parentSku: string | null;
  readonly bundleItems: readonly { readonly sku: string; readonly quantity: number }[];
  readonly fabric: string | null;
  readonly gtin: string | null;
}

const MOST_LEVELS = 10;

export class CatalogModel {
  readonly items = new Map<string, ModelItem>();

  /** Upserts rows. @returns row number → code of those that failed */
  apply(rows: readonly ModelRow[]): Map<number, string> {
    const failed = new Map<number, string>();
    const last = new Map(rows.map(({ sku }, index) => [sku, index]));
    let waiting: number[] = [];
    rows.forEach((row, index) => {
      if (last.get(row.sku) !== index) failed.set(index + 1, 'SKU_DUPLICATE_IN_REQUEST');
      else if (this.#refers(row)) waiting.push(index);
      else this.#settle(row, index, failed, false);
    });
    for (let before = -1, moved = true; waiting.length > 0 && moved; ) {
      before = waiting.length;
      waiting = waiting.filter((index) => !this.#settle(rows[index] as ModelRow, index, failed, true));
      moved = waiting.length < before;
    }
    const missing = this.#waitingForWhatIsMissing(waiting.map((index) => rows[index] as ModelRow));
    for (const index of waiting) {
      const { sku, bundleItems } = rows[index] as ModelRow;
      const lacks = (bundleItems ?? []).some((held) => !this.items.has(held.sku));
      const deep = !lacks && !this.#holds(bundleItems ?? [], sku);
      failed.set(index + 1, deep ? 'VALUE_RANGE' : missing.has(sku) ? 'BUNDLE_ITEM_NOT_FOUND' : 'BUNDLE_CYCLE');
    }
    return failed;
  }

  /** LIVE or DRAFT. */
  statusOf({ type, parentSku, bundleItems, fabric }: ModelItem): 'LIVE' | 'DRAFT' {
    const inherited = parentSku === null ? null : (this.items.get(parentSku)?.fabric ?? null);
    const complete = (fabric ?? inherited) !== null && !(type === 'BUNDLE' && bundleItems.length === 0);
    return complete ? 'LIVE' : 'DRAFT';
  }

  #refers({ sku, type, parentSku, detach, bundleItems }: ModelRow): boolean {
    const stored = this.items.get(sku);
    const ofOthers =
      stored !== undefined && (stored.type === 'BUNDLE' || (stored.parentSku !== null && parentSku !== null));
    return (
      type !== undefined || typeof parentSku === 'string' || detach === true || bundleItems !== undefined || ofOthers
    );
  }

  /** @returns false: the row waits */
  #settle(row: ModelRow, index: number, failed: Map<number, string>, mayWait: boolean): boolean {
    const fail = (code: string): true => {
      failed.set(index + 1, code);
      return true;
    };
    const { sku, parentSku, bundleItems } = row;
    const stored = this.items.get(sku);
    const isBundle = row.type === 'BUNDLE' || (bundleItems?.length ?? 0) > 0;
    if (typeof parentSku === 'string') {
      const parent = this.items.get(parentSku);
      const hasVariants = [...this.items.values()].some((item) => item.parentSku === sku);
      if (
        parent === undefined ||
        parent.parentSku !== null ||
        parent.type === 'BUNDLE' ||
        hasVariants ||
        parentSku === sku
      ) {
        return fail('PARENT_NOT_FOUND');
      }
      if (stored?.type === 'BUNDLE') return fail('FIELD_INVALID');
    }
    if (isBundle && stored?.type === 'ITEM') return fail('FIELD_INVALID');
    const type = stored?.type ?? (isBundle ? 'BUNDLE' : 'ITEM');
    if (type === 'BUNDLE' && bundleItems !== undefined && bundleItems !== null) {
      if (bundleItems.some((held) => held.sku === sku)) return fail('BUNDLE_CYCLE');
      const lacks = bundleItems.some((held) => !this.items.has(held.sku));
      const mayNotYet = lacks || this.#holds(bundleItems, sku) || this.#levels(sku, bundleItems) > MOST_LEVELS;
      if (mayNotYet && mayWait) return false;
    }
    const gtin = row.gtin ?? stored?.gtin ?? null;
    const taken = [...this.items].some(([other, item]) => other !== sku && gtin !== null && item.gtin === gtin);
    if (taken) return fail('VALUE_NOT_UNIQUE');
    const formerParent = stored?.parentSku == null ? null : this.items.get(stored.parentSku);
    const kept = stored?.fabric ?? (row.detach === true ? (formerParent?.fabric ?? null) : null);
    this.items.set(sku, {
      type,
      parentSku: row.detach === true ? null : parentSku === undefined ? (stored?.parentSku ?? null) : parentSku,
      bundleItems:
        type === 'BUNDLE' ? (bundleItems === undefined ? (stored?.bundleItems ?? []) : (bundleItems ?? [])) : [],
      fabric: row.fabric === undefined ? kept : row.fabric,
      gtin,
    });
    return true;
  }

  #holds(held: readonly { readonly sku: string }[], wanted: string): boolean {
    return held.some(({ sku }) => sku === wanted || this.#holds(this.items.get(sku)?.bundleItems ?? [], wanted));
  }

  #levels(sku: string, held: readonly { readonly sku: string }[]): number {
    const below = (one: string): number => {
      const item = this.items.get(one);
      return item?.type === 'BUNDLE' ? 1 + Math.max(0, ...item.bundleItems.map((part) => below(part.sku))) : 0;
    };
    const above = (one: string): number => {
      const holders = [...this.items].filter(([, item]) => item.bundleItems.some((part) => part.sku === one));
      return Math.max(0, ...holders.map(([holder]) => 1 + above(holder)));
    };
    return 1 + Math.max(0, ...held.map((part) => below(part.sku))) + above(sku);
  }

  /** Of rows that wait, those whose way down ends at what neither exists nor waits. */
  #waitingForWhatIsMissing(rows: readonly ModelRow[]): Set<string> {
    const vain = new Set<string>();
    const waits = new Set(rows.map(({ sku }) => sku));
    for (let grew = true; grew; ) {
      grew = false;
      for (const { sku, bundleItems } of rows) {
        const lacks = (bundleItems ?? []).filter((held) => !this.items.has(held.sku));
        if (vain.has(sku) || !lacks.some((held) => !waits.has(held.sku) || vain.has(held.sku))) continue;
        vain.add(sku);
        grew = true;
      }
    }
    return vain;
  }
}
