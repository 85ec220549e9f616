/** Collects what one row says of an item, cell by cell, and its problems: shared by the readers of files and of JSON. */

import type { RowProblem } from '../row-problem.js';
import { isStorable } from '../storable-text.js';
import type { ItemDraft } from './item-draft.js';
import type { ItemRules } from './item-rules.js';

export const MAX_SKU_CHARACTERS = 255;

/** A key as it is stored and compared: trimmed and NFC; case is kept. */
export function normaliseSku(sku: string): string {
  return sku.trim().normalize('NFC');
}

/** What a row came to: a draft, or everything that is wrong with it. */
export type DraftOutcome =
  | { readonly draft: ItemDraft; readonly problems: null; readonly key: string }
  | { readonly draft: null; readonly problems: RowProblem[]; readonly key: string | null };

export class DraftBuilder {
  #problems: RowProblem[] | null = null;
  #members = '';
  #escapes = false;
  readonly #set: number[] = [];
  #lastSet: readonly number[] = [];
  #cleared: number[] = [];
  #sku = '';
  #nodeId: number | null = null;
  #parentSku: string | null | undefined = undefined;

  /** `"id":` of each attribute, as the first member and as a later one. */
  readonly #firstKeys: readonly string[];
  readonly #laterKeys: readonly string[];

  constructor(readonly rules: ItemRules) {
    this.#firstKeys = rules.attributes.map((attribute) => `${attribute.jsonKey}:`);
    this.#laterKeys = this.#firstKeys.map((key) => `,${key}`);
  }

  reset(): void {
    this.#problems = null;
    this.#members = '';
    this.#escapes = false;
    this.#set.length = 0;
    this.#cleared = [];
    this.#sku = '';
    this.#nodeId = null;
    this.#parentSku = undefined;
  }

  fail(problem: RowProblem): void {
    if (this.#problems === null) this.#problems = [problem];
    else this.#problems.push(problem);
  }

  sku(text: string, column: string): void {
    const sku = normaliseSku(text);
    if (sku === '') {
      this.fail({ code: 'SKU_REQUIRED', column, message: 'the row has no SKU; every item needs one' });
    } else if (sku.length > MAX_SKU_CHARACTERS) {
      const message = `the SKU has ${sku.length} characters; at most ${MAX_SKU_CHARACTERS} are allowed`;
      this.fail({ code: 'SKU_TOO_LONG', column, message, value: sku.slice(0, 100) });
    } else if (!isStorable(sku)) {
      this.fail({ code: 'INVALID_TEXT', column, message: 'the SKU holds a NUL or half a surrogate pair; remove it' });
    } else {
      this.#sku = sku;
    }
  }

  category(text: string, column: string): void {
    const category = this.rules.categories.resolve(text);
    if (category === undefined) {
      const message = this.rules.categories.explainMissing(text);
      this.fail({ code: 'NODE_NOT_FOUND', column, message, value: text.slice(0, 200) });
    } else {
      this.#categoryNode(category.nodeId, column);
    }
  }

  categoryByNodeId(nodeId: number, column: string): void {
    if (this.rules.categories.byNodeId(nodeId) === undefined) {
      const message = `there is no category with the node id ${nodeId}; GET /api-category/v1/category lists them`;
      this.fail({ code: 'NODE_NOT_FOUND', column, message, value: String(nodeId) });
    } else {
      this.#categoryNode(nodeId, column);
    }
  }

  parent(sku: string | null, column: string): void {
    const parent = sku === null ? null : normaliseSku(sku);
    if (parent === null || (parent !== '' && parent.length <= MAX_SKU_CHARACTERS && isStorable(parent))) {
      this.#parentSku = parent;
      return;
    }
    const message = `the parent's SKU is empty, longer than ${MAX_SKU_CHARACTERS} characters, or holds a NUL; correct it`;
    this.fail({ code: 'PARENT_NOT_FOUND', column, message, value: parent.slice(0, 100) });
  }

  /** @param json the value's canonical JSON text */
  set(position: number, json: string): void {
    const keys = this.#members === '' ? this.#firstKeys : this.#laterKeys;
    this.#members += keys[position] as string;
    this.#members += json;
    if (json.includes('\\')) this.#escapes = true;
    this.#set.push(position);
  }

  clear(position: number): void {
    this.#cleared.push(position);
  }

  /** @param hash of the row as it stands in the input */
  finish(row: number, hash: number): DraftOutcome {
    if (this.#problems !== null) {
      return { draft: null, problems: this.#problems, key: this.#sku === '' ? null : this.#sku };
    }
    const draft: ItemDraft = {
      row,
      sku: this.#sku,
      nodeId: this.#nodeId,
      parentSku: this.#parentSku,
      members: this.#members,
      set: this.#sharedSet(),
      cleared: this.#cleared,
      escapes: this.#escapes,
      hash,
    };
    return { draft, problems: null, key: draft.sku };
  }

  /** Most rows of an input set the same attributes: they share one list. */
  #sharedSet(): readonly number[] {
    const set = this.#set;
    const last = this.#lastSet;
    if (last.length !== set.length || set.some((position, index) => position !== last[index])) this.#lastSet = [...set];
    return this.#lastSet;
  }

  #categoryNode(nodeId: number, column: string): void {
    const rules = this.rules.ofCategory(nodeId);
    if (rules !== undefined && !rules.category.leaf) {
      const message = `items lie in categories without subcategories; "${rules.path}" has some, or is the root: name one of them`;
      this.fail({ code: 'NODE_NOT_LEAF', column, message, value: rules.path });
    } else if (this.#nodeId !== null && this.#nodeId !== nodeId) {
      const message = 'nodeName and nodeId name two different categories; name one category';
      this.fail({ code: 'FIELD_INVALID', column, message });
    } else {
      this.#nodeId = nodeId;
    }
  }
}
