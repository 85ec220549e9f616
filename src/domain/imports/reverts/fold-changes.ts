/** Folds all changes of an item into one row of a revert. */
import type { OwnChange } from '../../changes/changes-by-item.js';
import { type Difference, FIELD } from '../../changes/model/item-change.js';
import { isReverted, isSameValue, type RevertRow } from './revert-row.js';

/** Yields a row for each item. Only the changes of one item are in memory. */
export async function* foldChanges(changes: AsyncIterable<OwnChange>): AsyncGenerator<RevertRow> {
  let item: FoldedItem | null = null;
  for await (const change of changes) {
    if (item !== null && item.sku !== change.sku) {
      yield item.row();
      item = null;
    }
    item ??= new FoldedItem(change);
    item.add(change);
  }
  if (item !== null) yield item.row();
}

class FoldedItem {
  readonly sku: string;
  readonly #first: OwnChange;
  #was: boolean;
  #is: boolean;
  #isWhole = false;
  #openSet: number | undefined;
  readonly #known = new Set<string>();
  #broken: string | undefined;
  readonly #changed = new Map<string, Difference>();

  constructor(first: OwnChange) {
    this.sku = first.sku;
    this.#first = first;
    this.#was = first.operation !== 'C';
    this.#is = this.#was;
  }

  add(change: OwnChange): void {
    const { operation, changed } = change;
    // Somebody else has created or deleted it in between.
    if (this.#is !== (operation !== 'C')) this.#broken ??= FIELD.type;
    this.#is = operation !== 'D';
    if (operation === 'C') {
      this.#openSet = change.setId;
      this.#known.clear();
      return;
    }
    for (const [key, difference] of Object.entries(changed)) if (isReverted(key)) this.#addValue(key, difference);
    if (operation === 'U') return;
    // What a deletion does not name was not there.
    for (const [key, { b, a }] of this.#changed) {
      if (key in changed || a === undefined) continue;
      this.#broken ??= key;
      this.#changed.set(key, { b });
    }
    this.#isWhole = true;
    this.#openSet = undefined;
  }

  #addValue(key: string, { b, a }: Difference): void {
    const before = this.#changed.get(key);
    // What an item had when it was created again is not known.
    const isKnown = this.#openSet === undefined || this.#known.has(key);
    this.#known.add(key);
    if (before !== undefined && isKnown && !isSameValue(before.a, b)) this.#broken ??= key;
    if (before === undefined && this.#isWhole) this.#changed.set(key, { a });
    else this.#changed.set(key, { b: before === undefined ? b : before.b, a });
  }

  row(): RevertRow {
    return {
      sku: this.sku,
      was: this.#was,
      is: this.#is,
      isWhole: this.#isWhole,
      ...(this.#openSet === undefined ? {} : { openSet: this.#openSet, known: [...this.#known] }),
      changed: Object.fromEntries(this.#changed),
      broken: this.#broken,
      firstSet: this.#first.setId,
      at: this.#first.at.toISOString(),
    };
  }
}
