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
    const open = new Set<number>();
    rows.forEach(({ sku }, index) => {
      if (last.get(sku) === index) open.add(index);
      else failed.set(index + 1, 'SKU_DUPLICATE_IN_REQUEST');
    });
    const at = (index: number) => rows[index] as ModelRow;
    const refers = new Set([...open].filter((index) => this.#refers(at(index))));
    // First the rows that refer to no others, then all of them, each after the rows before it.
    for (const pass of [[...open].filter((index) => !refers.has(index)), [...open]]) {
      for (const index of pass) {
        if (!open.has(index)) continue;
        const { code, about } = this.#judge(at(index));
        const wanted = this.#gtinAfter(at(index));
        const isClaimed = [...open].some((other) => other < index && this.#claims(at(other), at(index), wanted));
        if (code !== null && about.length === 0) failed.set(index + 1, code);
        else if (code === null && !isClaimed) this.#write(at(index));
        else continue;
        open.delete(index);
      }
    }
    this.#settle(rows, open, failed);
    return failed;
  }

  /** Decides the rows that are left as a set: in the order of the input only where several want one value. */
  #settle(rows: readonly ModelRow[], open: Set<number>, failed: Map<number, string>): void {
    const at = (index: number) => rows[index] as ModelRow;
    const left = new Set<number>();
    const blockersOf = (index: number): number[] | null => {
      const row = at(index);
      const { code, about } = this.#judge(row);
      const find = (skus: readonly string[]) =>
        [...open].filter((other) => other !== index && skus.includes(at(other).sku));
      if (code === 'VALUE_NOT_UNIQUE') {
        const [holder] = find(about);
        if (holder === undefined || this.#gtinAfter(at(holder)) === this.#gtinAfter(row)) return null;
      } else if (code !== null && find(about).length === 0) return null;
      const claimed = [...open].filter((other) => other < index && this.#claims(at(other), row, this.#gtinAfter(row)));
      return [
        ...(code === null ? [] : find(about)),
        ...(code === null || code === 'VALUE_NOT_UNIQUE' ? claimed.slice(0, 1) : []),
      ];
    };
    const end = (index: number, isWritten: boolean): void => {
      open.delete(index);
      if (isWritten) this.#write(at(index));
      else left.add(index);
    };
    while (open.size > 0) {
      const next = [...open].find((index) => (blockersOf(index) ?? []).length === 0);
      if (next !== undefined) {
        end(next, blockersOf(next) !== null);
        continue;
      }
      const [first = -1] = open;
      const together = new Set([first]);
      for (const one of together) for (const blocker of blockersOf(one) ?? []) together.add(blocker);
      const sorted = [...together].sort((a, b) => a - b);
      if (this.#writeTogether(sorted.map(at))) for (const index of sorted) open.delete(index);
      else end(first, false);
    }
    for (let before = -1; left.size !== before; ) {
      before = left.size;
      for (const index of [...left].sort((a, b) => a - b)) {
        if (this.#judge(at(index)).code !== null) continue;
        this.#write(at(index));
        left.delete(index);
      }
    }
    const missing = this.#waitingForWhatIsMissing([...left].map(at));
    for (const index of left) {
      const { sku } = at(index);
      const { code } = this.#judge(at(index));
      const isCycle = code === 'BUNDLE_ITEM_NOT_FOUND' && !missing.has(sku);
      failed.set(index + 1, isCycle ? 'BUNDLE_CYCLE' : (code ?? 'none'));
    }
  }

  /** @returns false: nothing was written */
  #writeTogether(rows: readonly ModelRow[]): boolean {
    const before = new Map(this.items);
    const wanted = rows.flatMap((row) => this.#gtinAfter(row) ?? []);
    if (new Set(wanted).size < wanted.length) return false;
    for (const { sku } of rows) {
      const item = this.items.get(sku);
      if (item !== undefined) this.items.set(sku, { ...item, gtin: null });
    }
    const gtins = new Map(rows.map((row) => [row.sku, row.gtin ?? before.get(row.sku)?.gtin ?? null]));
    let left = rows;
    for (let length = -1; left.length !== length; ) {
      length = left.length;
      left = left.filter((row) => {
        const { gtin: _, ...rest } = row;
        const gtin = gtins.get(row.sku) ?? null;
        const full = gtin === null ? rest : { ...rest, gtin };
        if (this.#judge(full).code !== null) return true;
        this.#write(full);
        return false;
      });
    }
    if (left.length === 0) return true;
    this.items.clear();
    for (const [sku, item] of before) this.items.set(sku, item);
    return false;
  }

  #gtinAfter({ sku, gtin }: ModelRow): string | null {
    return gtin ?? this.items.get(sku)?.gtin ?? null;
  }

  /** Whether a row that is still to be decided wants the value of another one, which has it not yet. */
  #claims(claimant: ModelRow, { sku }: ModelRow, wanted: string | null): boolean {
    return wanted !== null && this.items.get(sku)?.gtin !== wanted && this.#gtinAfter(claimant) === wanted;
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

  /** Why a row cannot be applied now, and the items whose rows may change that. */
  #judge(row: ModelRow): { code: string | null; about: readonly string[] } {
    const fail = (code: string, about: readonly string[] = []) => ({ code, about });
    const { sku, parentSku, bundleItems } = row;
    const stored = this.items.get(sku);
    const isBundle = row.type === 'BUNDLE' || (bundleItems?.length ?? 0) > 0;
    if (typeof parentSku === 'string') {
      const parent = this.items.get(parentSku);
      if (parentSku === sku) return fail('PARENT_NOT_FOUND');
      if (parent === undefined || parent.parentSku !== null) return fail('PARENT_NOT_FOUND', [parentSku]);
      if (parent.type === 'BUNDLE') return fail('PARENT_NOT_FOUND');
      const variants = [...this.items].flatMap(([variant, item]) => (item.parentSku === sku ? [variant] : []));
      if (variants.length > 0) return fail('PARENT_NOT_FOUND', variants);
      if (stored?.type === 'BUNDLE') return fail('FIELD_INVALID');
    }
    if (isBundle && stored?.type === 'ITEM') return fail('FIELD_INVALID');
    const type = stored?.type ?? (isBundle ? 'BUNDLE' : 'ITEM');
    if (type === 'BUNDLE' && bundleItems !== undefined && bundleItems !== null) {
      if (bundleItems.some((held) => held.sku === sku)) return fail('BUNDLE_CYCLE');
      const missing = bundleItems.flatMap((held) => (this.items.has(held.sku) ? [] : [held.sku]));
      if (missing.length > 0) return fail('BUNDLE_ITEM_NOT_FOUND', missing);
      if (this.#holds(bundleItems, sku)) return fail('BUNDLE_CYCLE', this.#bundles());
      if (this.#levels(sku, bundleItems) > MOST_LEVELS) return fail('VALUE_RANGE', this.#bundles());
    }
    const gtin = this.#gtinAfter(row);
    const taken = [...this.items].find(([other, item]) => other !== sku && gtin !== null && item.gtin === gtin);
    return taken === undefined ? { code: null, about: [] } : fail('VALUE_NOT_UNIQUE', [taken[0]]);
  }

  #bundles(): string[] {
    return [...this.items].flatMap(([sku, { type }]) => (type === 'BUNDLE' ? [sku] : []));
  }

  #write(row: ModelRow): void {
    const { sku, parentSku, bundleItems } = row;
    const stored = this.items.get(sku);
    const isBundle = row.type === 'BUNDLE' || (bundleItems?.length ?? 0) > 0;
    const type = stored?.type ?? (isBundle ? 'BUNDLE' : 'ITEM');
    const formerParent = stored?.parentSku == null ? null : this.items.get(stored.parentSku);
    const kept = stored?.fabric ?? (row.detach === true ? (formerParent?.fabric ?? null) : null);
    this.items.set(sku, {
      type,
      parentSku: row.detach === true ? null : parentSku === undefined ? (stored?.parentSku ?? null) : parentSku,
      bundleItems:
        type === 'BUNDLE' ? (bundleItems === undefined ? (stored?.bundleItems ?? []) : (bundleItems ?? [])) : [],
      fabric: row.fabric === undefined ? kept : row.fabric,
      gtin: this.#gtinAfter(row),
    });
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
    const lacking = rows.filter(({ bundleItems }) => (bundleItems ?? []).some((held) => !this.items.has(held.sku)));
    const waits = new Set(lacking.map(({ sku }) => sku));
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
