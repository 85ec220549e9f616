/** What one row says about the type of its item and about its relations to others: its parent, and the items that it holds. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import { isLongerThan, isStorable, storable } from '../../../kernel/characters.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { FoundFaults } from './found-faults.js';

/** A parent whose SKU is `detach`, or that with backslashes: exports write one more backslash. */
const ESCAPED_DETACH = /^\\+detach$/;

export class RowRelations {
  type: ItemTypeCode | null = null;
  components: readonly Component[] | undefined = undefined;
  detach = false;
  #parentSku: string | null | undefined = undefined;
  #parentColumn = '';

  reset(type: ItemTypeCode | null): void {
    this.type = type;
    this.components = undefined;
    this.detach = false;
    this.#parentSku = undefined;
  }

  /** null: the item has none; undefined: the row does not say. */
  get parentSku(): string | null | undefined {
    return this.#parentSku;
  }

  /**
   * @param sku `detach` makes the item leave its parent and keep the values that it inherits; `\detach` is that SKU
   * @returns why it is not the SKU of a parent
   */
  parent(sku: string | null, column: string): RowProblem | null {
    const written = sku === null ? null : normalizeSku(sku);
    if (written === 'detach') {
      this.detach = true;
      return null;
    }
    const parent = written !== null && ESCAPED_DETACH.test(written) ? written.slice(1) : written;
    if (parent === null || (parent !== '' && !isLongerThan(parent, MAX_SKU_CHARACTERS) && isStorable(parent))) {
      this.#parentSku = parent;
      this.#parentColumn = column;
      return null;
    }
    const message = `the parent's SKU is empty, longer than ${MAX_SKU_CHARACTERS} characters, or holds a NUL; correct it`;
    return { code: 'PARENT_NOT_FOUND', column, message, value: storable(parent.slice(0, 100), 100) };
  }

  /** Decides the type, and checks it: only bundles hold items, and a bundle cannot be a variant. */
  resolve(faults: FoundFaults): void {
    if (this.components === undefined && this.type === null && !this.detach) return;
    const contradiction = (column: string, message: string) => faults.add({ code: 'FIELD_INVALID', column, message });
    const holds = this.components !== undefined && this.components.length > 0;
    if (this.type === 'I') {
      if (holds) contradiction('bundleItems', 'an ITEM cannot hold others; leave them out, or set type to BUNDLE');
      this.components = undefined;
    } else if (holds) {
      this.type = 'B';
    }
    if (typeof this.#parentSku !== 'string') return;
    if (this.type === 'B') {
      contradiction(this.#parentColumn, 'a bundle cannot be a variant of another item; leave the parent out');
    }
    if (this.detach) {
      contradiction('detach', 'an item that leaves its parent cannot name one; leave "parentSku" or "detach" out');
    }
  }
}
