/** What a job of items makes of a catalog, in the simplest way: one row after another, without chunks, formats or workers. */

export type Mode = 'insert' | 'upsert' | 'update';
export type Values = Readonly<Record<string, string>>;

/** A row as the documentation reads it, whatever the format it came in. A field that is left out says nothing. */
export interface OracleRow {
  /** Empty: the row has none. */
  readonly sku: string;
  readonly category?: string;
  readonly type?: 'ITEM' | 'BUNDLE';
  /** Null: leaves its parent. */
  readonly parentSku?: string | null;
  readonly detach?: true;
  /** Null: is to hold nothing. */
  readonly bundleItems?: readonly { readonly sku: string; readonly quantity: number }[] | null;
  /** Paths of alternate categories; null: is to be in none. */
  readonly alternates?: readonly string[] | null;
  /** Null: belongs to all of them. */
  readonly channels?: readonly number[] | null;
  /** Null: cleared. */
  readonly values: Readonly<Record<string, string | null>>;
  /** Has fewer cells than the header. */
  readonly ragged?: true;
}

interface OracleItem {
  readonly type: 'ITEM' | 'BUNDLE';
  readonly category: string;
  readonly parentSku: string | null;
  readonly bundleItems: readonly { readonly sku: string; readonly quantity: number }[];
  /** In the order of their texts. */
  readonly alternates: readonly string[];
  /** Null: all of them. */
  readonly channels: readonly number[] | null;
  /** Its own. */
  readonly values: Values;
}

export interface OracleRules {
  /** Category → its attributes. */
  readonly categories: Readonly<Record<string, readonly string[]>>;
  /** Category → the attributes without which its items are DRAFT. */
  readonly mandatory: Readonly<Record<string, readonly string[]>>;
  /** Alternate category → whether it has subcategories, so that it holds no items. */
  readonly alternates: Readonly<Record<string, boolean>>;
  readonly required: readonly string[];
  readonly inheritable: readonly string[];
  /** The attribute of which no two items share a value. */
  readonly unique?: string;
  /** Whether a value is one of its attribute. */
  readonly accepts: (attribute: string, value: string) => boolean;
}

export interface Prediction {
  /** Index of the row → a code that it fails with. */
  readonly failed: ReadonlyMap<number, string>;
  readonly created: number;
  /** Rows that change their item. */
  readonly updated: number;
  /** Rows whose item changes only its status, and that because of other rows: it may have changed before or with the row. */
  readonly followers: number;
}

/** Why a row cannot be applied now, and the items whose rows may change that. */
interface Obstacle {
  readonly code: string | null;
  readonly about: readonly string[];
}

const MOST_LEVELS = 10;
const FREE: Obstacle = { code: null, about: [] };

export class CatalogOracle {
  readonly items = new Map<string, OracleItem>();
  #mode: Mode = 'upsert';
  #channel: number | null = null;

  constructor(readonly rules: OracleRules) {}

  /** The same catalog, which changes by itself. */
  copy(): CatalogOracle {
    const copy = new CatalogOracle(this.rules);
    for (const [sku, item] of this.items) copy.items.set(sku, item);
    return copy;
  }

  /** Deletes the items of a request, but for those that items refer to which stay. */
  delete(skus: readonly string[], channel: number | null): Prediction {
    const failed = new Map<number, string>();
    const leaving = new Map<string, number>();
    for (const [index, sku] of skus.entries()) {
      if (sku === '') failed.set(index, 'SKU_REQUIRED');
      else if (skus.indexOf(sku) < index) failed.set(index, 'SKU_DUPLICATE_IN_REQUEST');
      else if (this.isSeen(sku, channel)) leaving.set(sku, index);
      else failed.set(index, 'SKU_NOT_FOUND');
    }
    for (let before = -1; before !== leaving.size; ) {
      before = leaving.size;
      for (const [sku, index] of [...leaving]) {
        const isHeld = [...this.items].some(
          ([other, { parentSku, bundleItems }]) =>
            !leaving.has(other) && (parentSku === sku || bundleItems.some((one) => one.sku === sku)),
        );
        if (!isHeld) continue;
        leaving.delete(sku);
        failed.set(index, 'ITEM_IN_USE');
      }
    }
    for (const sku of leaving.keys()) this.items.delete(sku);
    return { failed, created: 0, updated: leaving.size, followers: 0 };
  }

  /** Whether an item is there for who sees only a channel; null: for who sees all. */
  isSeen(sku: string, channel: number | null): boolean {
    const item = this.items.get(sku);
    return item !== undefined && (channel === null || item.channels === null || item.channels.includes(channel));
  }

  /** Applies the rows of a job, skipping those that fail. */
  apply(rows: readonly OracleRow[], mode: Mode, channel: number | null = null): Prediction {
    this.#mode = mode;
    this.#channel = channel;
    const before = this.copy();
    const failed = new Map<number, string>();
    const open = new Set<number>();
    rows.forEach((row, index) => {
      const sharing = rows.flatMap((other, at) => (isKeyed(other) && other.sku === row.sku ? [at] : []));
      const winner = mode === 'insert' ? sharing[0] : sharing.at(-1);
      const code = isKeyed(row) && winner !== index ? 'SKU_DUPLICATE_IN_REQUEST' : this.#read(row);
      if (code === null) open.add(index);
      else failed.set(index, code);
    });
    const valid = [...open];
    const refers = new Set(valid.filter((index) => this.#refers(at(rows, index))));
    // First the rows that refer to no others, then all of them, each after the rows before it.
    for (const pass of [valid.filter((index) => !refers.has(index)), valid]) {
      for (const index of pass) {
        if (!open.has(index)) continue;
        const row = at(rows, index);
        const { code, about } = this.#judge(row);
        const isClaimed = [...open].some((other) => other < index && this.#claims(at(rows, other), row));
        if (code !== null && about.length === 0) failed.set(index, code);
        else if (code === null && !isClaimed) this.#write(row);
        else continue;
        open.delete(index);
      }
    }
    this.#settle(rows, open, failed);
    const applied = valid.filter((index) => !failed.has(index)).map((index) => at(rows, index).sku);
    const changed = applied.filter((sku) => before.items.has(sku) && !this.#isSame(sku, before));
    const followers = applied.filter(
      (sku) => before.items.has(sku) && this.#isSame(sku, before) && this.statusOf(sku) !== before.statusOf(sku),
    );
    const created = applied.filter((sku) => !before.items.has(sku)).length;
    return { failed, created, updated: changed.length, followers: followers.length };
  }

  /** LIVE or DRAFT. */
  statusOf(sku: string): 'LIVE' | 'DRAFT' {
    const { type, category, bundleItems } = this.#item(sku);
    const shown = this.shownValues(sku);
    const complete = (this.rules.mandatory[category] ?? []).every((name) => name in shown);
    return complete && !(type === 'BUNDLE' && bundleItems.length === 0) ? 'LIVE' : 'DRAFT';
  }

  /** An item's own values, and those that it inherits. */
  shownValues(sku: string): Values {
    const { parentSku, category, values } = this.#item(sku);
    return { ...this.#inherited(parentSku, category), ...values };
  }

  /** What is wrong with a row whatever the catalog contains. */
  #read({ sku, category, type, parentSku, detach, bundleItems, values, ragged }: OracleRow): string | null {
    if (ragged) return 'ROW_FIELD_COUNT';
    if (sku === '') return 'SKU_REQUIRED';
    if (category !== undefined && !(category in this.rules.categories)) return 'NODE_NOT_FOUND';
    const wrong = Object.entries(values).some(([name, value]) => value !== null && !this.rules.accepts(name, value));
    if (wrong) return 'VALUE_TYPE';
    const holds = (bundleItems?.length ?? 0) > 0;
    if (type === 'ITEM' && holds) return 'FIELD_INVALID';
    if (typeof parentSku === 'string' && (type === 'BUNDLE' || holds || detach)) return 'FIELD_INVALID';
    return null;
  }

  #refers({ sku, type, parentSku, detach, bundleItems, alternates }: OracleRow): boolean {
    const stored = this.items.get(sku);
    const ofOthers =
      stored?.type === 'BUNDLE' ||
      (stored !== undefined && stored.parentSku !== null && parentSku !== null && this.rules.inheritable.length > 0);
    const named = type === 'BUNDLE' || typeof parentSku === 'string' || detach === true || alternates !== undefined;
    return named || (bundleItems !== undefined && type !== 'ITEM') || ofOthers;
  }

  #judge(row: OracleRow): Obstacle {
    const { sku, parentSku, bundleItems } = row;
    const stored = this.items.get(sku);
    if (this.#mode === 'insert' && stored !== undefined) return { code: 'SKU_EXISTS', about: [] };
    if (this.#mode === 'update' && stored === undefined) return { code: 'SKU_NOT_FOUND', about: [] };
    const type = typeOf(row);
    if (stored !== undefined && type !== undefined && stored.type !== type) return { code: 'FIELD_INVALID', about: [] };
    if (stored?.type === 'BUNDLE' && typeof parentSku === 'string') return { code: 'FIELD_INVALID', about: [] };
    const parent = typeof parentSku === 'string' ? this.#judgeParent(sku, parentSku) : FREE;
    if (parent.code !== null) return parent;
    const category = row.category ?? stored?.category;
    if (category === undefined) return { code: 'NODE_NOT_FOUND', about: [] };
    for (const path of row.alternates ?? []) {
      const isParent = this.rules.alternates[path];
      if (isParent !== false) return { code: isParent ? 'NODE_NOT_LEAF' : 'NODE_NOT_FOUND', about: [] };
    }
    const values = this.#judgeValues(row, category);
    if (values.code !== null) return values;
    if (type === 'BUNDLE' && bundleItems) {
      const held = this.#judgeHeld(sku, bundleItems);
      if (held.code !== null) return held;
    }
    const wanted = this.#wants(row);
    const taken = [...this.items.keys()].find((other) => other !== sku && wanted !== null && this.#has(other, wanted));
    return taken === undefined ? FREE : { code: 'VALUE_NOT_UNIQUE', about: [taken] };
  }

  #judgeParent(sku: string, parentSku: string): Obstacle {
    const code = 'PARENT_NOT_FOUND';
    const parent = this.items.get(parentSku);
    if (parentSku === sku) return { code, about: [] };
    if (parent === undefined || parent.parentSku !== null) return { code, about: [parentSku] };
    if (parent.type === 'BUNDLE') return { code, about: [] };
    const variants = [...this.items].flatMap(([variant, item]) => (item.parentSku === sku ? [variant] : []));
    return variants.length > 0 ? { code, about: variants } : FREE;
  }

  #judgeValues(row: OracleRow, category: string): Obstacle {
    const stored = this.items.get(row.sku);
    const isMoved = stored !== undefined && stored.category !== category;
    const assigned = this.rules.categories[category] ?? [];
    const isForeign = Object.entries(row.values).some(
      ([name, value]) =>
        value !== null &&
        !assigned.includes(name) &&
        (stored === undefined || isMoved || stored.values[name] !== value),
    );
    if (isForeign) return { code: 'ATTRIBUTE_NOT_ASSIGNED', about: [] };
    const parentSku = parentAfter(row, stored);
    const values = { ...this.#inherited(parentSku, category), ...this.#valuesAfter(row, category) };
    const hasLeft = stored !== undefined && stored.parentSku !== null && stored.parentSku !== parentSku;
    const isMissing = this.rules.required.some((name) => {
      if (!assigned.includes(name) || name in values) return false;
      const isLost = row.values[name] === null || (hasLeft && this.rules.inheritable.includes(name));
      return stored === undefined || isMoved || isLost;
    });
    return isMissing ? { code: 'ATTRIBUTE_REQUIRED', about: parentSku === null ? [] : [parentSku] } : FREE;
  }

  #judgeHeld(sku: string, held: OracleItem['bundleItems']): Obstacle {
    if (held.some((one) => one.sku === sku)) return { code: 'BUNDLE_CYCLE', about: [] };
    const missing = held.flatMap((one) => (this.items.has(one.sku) ? [] : [one.sku]));
    if (missing.length > 0) return { code: 'BUNDLE_ITEM_NOT_FOUND', about: missing };
    const bundles = [...this.items].flatMap(([one, { type }]) => (type === 'BUNDLE' ? [one] : []));
    if (this.#holds(held, sku)) return { code: 'BUNDLE_CYCLE', about: bundles };
    return this.#levels(sku, held) > MOST_LEVELS ? { code: 'VALUE_RANGE', about: bundles } : FREE;
  }

  /** Decides the rows that are left as a set: in the order of the input only where several want one value. */
  #settle(rows: readonly OracleRow[], open: Set<number>, failed: Map<number, string>): void {
    const left = new Set<number>();
    /** Null: waits in vain. */
    const blockersOf = (index: number): number[] | null => {
      const row = at(rows, index);
      const { code, about } = this.#judge(row);
      const wanted = this.#wants(row);
      const theirs = [...open].filter((other) => other !== index && about.includes(at(rows, other).sku));
      if (code !== null && theirs.length === 0) return null;
      if (code === 'VALUE_NOT_UNIQUE' && this.#wants(at(rows, theirs[0] ?? -1)) === wanted) return null;
      if (code !== null && code !== 'VALUE_NOT_UNIQUE') return theirs;
      const claimed = [...open].find((other) => other < index && this.#claims(at(rows, other), row));
      return claimed === undefined ? theirs : [...theirs, claimed];
    };
    const end = (index: number, isWritten: boolean): void => {
      open.delete(index);
      if (isWritten) this.#write(at(rows, index));
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
      if (this.#writeTogether(sorted.map((index) => at(rows, index)))) for (const index of sorted) open.delete(index);
      else end(first, false);
    }
    for (let before = -1; left.size !== before; ) {
      before = left.size;
      for (const index of [...left].sort((a, b) => a - b)) {
        if (this.#judge(at(rows, index)).code !== null) continue;
        this.#write(at(rows, index));
        left.delete(index);
      }
    }
    const missing = this.#waitingForWhatIsMissing([...left].map((index) => at(rows, index)));
    for (const index of left) {
      const { code } = this.#judge(at(rows, index));
      const isCycle = code === 'BUNDLE_ITEM_NOT_FOUND' && !missing.has(at(rows, index).sku);
      failed.set(index, isCycle ? 'BUNDLE_CYCLE' : (code ?? 'none'));
    }
  }

  /** @returns false: nothing was written */
  #writeTogether(rows: readonly OracleRow[]): boolean {
    const before = this.copy();
    const wanted = rows.map((row) => this.#wants(row));
    const values = wanted.filter((value) => value !== null);
    const { unique } = this.rules;
    if (new Set(values).size < values.length) return false;
    for (const { sku } of rows) {
      const item = this.items.get(sku);
      if (item === undefined || unique === undefined) continue;
      const { [unique]: _, ...others } = item.values;
      this.items.set(sku, { ...item, values: others });
    }
    let left = rows.map((row, nth) => {
      const value = wanted[nth];
      return value == null || unique === undefined ? row : { ...row, values: { ...row.values, [unique]: value } };
    });
    for (let length = -1; left.length !== length; ) {
      length = left.length;
      left = left.filter((row) => {
        const isFree = this.#judge(row).code === null;
        if (isFree) this.#write(row);
        return !isFree;
      });
    }
    if (left.length === 0) return true;
    this.items.clear();
    for (const [sku, item] of before.items) this.items.set(sku, item);
    return false;
  }

  #write(row: OracleRow): void {
    const stored = this.items.get(row.sku);
    const type = stored?.type ?? typeOf(row) ?? 'ITEM';
    const category = row.category ?? stored?.category ?? '';
    const held = row.bundleItems === undefined ? (stored?.bundleItems ?? []) : (row.bundleItems ?? []);
    const bundleItems = type === 'BUNDLE' ? held : [];
    const values = this.#valuesAfter(row, category);
    const alternates = row.alternates === undefined ? (stored?.alternates ?? []) : [...(row.alternates ?? [])].sort();
    const channels = this.#channelsAfter(row, stored);
    const parentSku = parentAfter(row, stored);
    this.items.set(row.sku, { type, category, parentSku, bundleItems, alternates, channels, values });
  }

  #channelsAfter({ channels }: OracleRow, stored: OracleItem | undefined): OracleItem['channels'] {
    if (channels !== undefined) return channels;
    const own = this.#channel === null ? [] : [this.#channel];
    if (stored === undefined) return this.#channel === null ? null : own;
    return stored.channels && [...new Set([...stored.channels, ...own])].sort((a, b) => a - b);
  }

  #valuesAfter({ sku, detach, values }: OracleRow, category: string): Values {
    const stored = this.items.get(sku);
    const kept = detach ? this.#inherited(stored?.parentSku ?? null, category) : {};
    const after = { ...kept, ...stored?.values, ...values };
    return Object.fromEntries(
      Object.entries(after).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    );
  }

  #inherited(parentSku: string | null, category: string): Values {
    const values = parentSku === null ? {} : (this.items.get(parentSku)?.values ?? {});
    const { categories, inheritable } = this.rules;
    const isInherited = (name: string) => inheritable.includes(name) && categories[category]?.includes(name);
    return Object.fromEntries(Object.entries(values).filter(([name]) => isInherited(name)));
  }

  /** The unique value that the row's item is to have. */
  #wants({ sku, values }: OracleRow): string | null {
    const { unique } = this.rules;
    if (unique === undefined) return null;
    const given = values[unique];
    return given === undefined ? (this.items.get(sku)?.values[unique] ?? null) : given;
  }

  #has(sku: string, value: string): boolean {
    return this.items.get(sku)?.values[this.rules.unique ?? ''] === value;
  }

  /** Whether a row that is still to be decided wants the value of another one, which has it not yet. */
  #claims(claimant: OracleRow, row: OracleRow): boolean {
    const wanted = this.#wants(row);
    return wanted !== null && !this.#has(row.sku, wanted) && this.#wants(claimant) === wanted;
  }

  #holds(held: OracleItem['bundleItems'], wanted: string): boolean {
    return held.some(({ sku }) => sku === wanted || this.#holds(this.items.get(sku)?.bundleItems ?? [], wanted));
  }

  #levels(sku: string, held: OracleItem['bundleItems']): number {
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
  #waitingForWhatIsMissing(rows: readonly OracleRow[]): Set<string> {
    const vain = new Set<string>();
    const lacks = ({ bundleItems }: OracleRow) => (bundleItems ?? []).filter(({ sku }) => !this.items.has(sku));
    const waits = new Set(rows.flatMap((row) => (lacks(row).length > 0 ? [row.sku] : [])));
    for (let size = -1; size !== vain.size; ) {
      size = vain.size;
      for (const row of rows) {
        if (lacks(row).some(({ sku }) => !waits.has(sku) || vain.has(sku))) vain.add(row.sku);
      }
    }
    return vain;
  }

  #isSame(sku: string, before: CatalogOracle): boolean {
    return JSON.stringify(sortedItem(this.#item(sku))) === JSON.stringify(sortedItem(before.#item(sku)));
  }

  #item(sku: string): OracleItem {
    const item = this.items.get(sku);
    if (item === undefined) throw new Error(`the model has no item ${sku}`);
    return item;
  }
}

/** Whether the row counts as one of its key. */
function isKeyed({ sku, ragged }: OracleRow): boolean {
  return sku !== '' && ragged !== true;
}

/** Undefined: the row does not say. */
function typeOf({ type, bundleItems }: OracleRow): 'ITEM' | 'BUNDLE' | undefined {
  return type ?? ((bundleItems?.length ?? 0) > 0 ? 'BUNDLE' : undefined);
}

function parentAfter({ detach, parentSku }: OracleRow, stored: OracleItem | undefined): string | null {
  if (detach === true) return null;
  return parentSku === undefined ? (stored?.parentSku ?? null) : parentSku;
}

function sortedItem(item: OracleItem): object {
  return { ...item, values: Object.entries(item.values).sort() };
}

function at(rows: readonly OracleRow[], index: number): OracleRow {
  const row = rows[index];
  if (row === undefined) throw new RangeError(`there is no row ${index}`);
  return row;
}
