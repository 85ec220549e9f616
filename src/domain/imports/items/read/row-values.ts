/** Writes the values of one row's attributes into the document of its item, and keeps which attributes it sets and clears. */
import type { ByteEncoder } from '../../../catalog/model/compiled-attribute.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { type DocumentBuffer, ItemDocument } from '../item-document.js';
import type { ItemRules } from '../item-rules.js';

/** Shared by all rows that clear no value. */
const NOTHING: readonly number[] = [];

/** The rows of one chunk share it. */
export class RowValues {
  #start = 0;
  #inactive = false;
  /** The row's value of the attribute that is mapped to the SKU, as JSON text. */
  #skuValue: string | null = null;
  /** The attributes that the row sets are the first `#setCount` of these: the rows of a chunk share the array. */
  readonly #set: number[] = [];
  #setCount = 0;
  #lastSet: readonly number[] = [];
  #cleared: readonly number[] = NOTHING;
  readonly #rules: ItemRules;
  readonly #buffer: DocumentBuffer;

  /** @param buffer where the documents of the rows are written */
  constructor(rules: ItemRules, buffer: DocumentBuffer) {
    this.#rules = rules;
    this.#buffer = buffer;
  }

  reset(): void {
    this.#start = this.#buffer.length;
    this.#inactive = false;
    this.#skuValue = null;
    this.#setCount = 0;
    this.#cleared = NOTHING;
  }

  /** @param json the value's canonical JSON text */
  set(position: number, json: string): void {
    if (position === this.#rules.skuAttribute) {
      this.#skuValue = json;
      return;
    }
    if (position === this.#rules.activeAttribute) this.#inactive = json === 'false';
    this.#member(position, json);
    this.noteSet(position);
  }

  /** Sets a value from the bytes of its cell. @returns false when the attribute's own reader has to read it */
  encode(position: number, encode: ByteEncoder, source: Buffer, start: number, end: number): boolean {
    const key = this.#rules.memberKey(position, this.#buffer.length === this.#start);
    if (!this.#buffer.appendCell(key, encode, source, start, end)) return false;
    this.noteSet(position);
    return true;
  }

  /** The row sets the attribute, also if it cannot have the value. */
  noteSet(position: number): void {
    this.#set[this.#setCount++] = position;
  }

  clear(position: number): void {
    if (position !== this.#rules.skuAttribute) this.#cleared = [...this.#cleared, position];
  }

  /** The value of the attribute that is mapped to the SKU always equals the SKU. @returns the problem of another value */
  fillSkuAttribute(sku: string): RowProblem | null {
    const position = this.#rules.skuAttribute;
    if (position < 0 || sku === '') return null;
    const json = JSON.stringify(sku);
    const given = this.#skuValue;
    this.#member(position, json);
    if (given === null || given === json) return null;
    const { name } = this.#rules.definition(position);
    const message = `"${name}" is mapped to the SKU, so that it always equals it; leave it out, or give ${json}`;
    return { code: 'VALUE_PATTERN', column: name, message, value: String(JSON.parse(given)) };
  }

  /** Takes what the row has written out of the buffer. */
  discard(): void {
    this.#buffer.truncate(this.#start);
  }

  /** As a draft has them. */
  ofDraft() {
    const document = new ItemDocument(this.#buffer, this.#start, this.#buffer.length);
    return { document, inactive: this.#inactive, set: this.#sharedSet(), cleared: this.#cleared };
  }

  #member(position: number, json: string): void {
    const first = this.#buffer.length === this.#start;
    this.#buffer.appendAscii(this.#rules.memberKey(position, first));
    this.#buffer.append(json);
  }

  /** Most rows of an input set the same attributes, so that they share one list. */
  #sharedSet(): readonly number[] {
    const set = this.#set;
    const count = this.#setCount;
    const last = this.#lastSet;
    let same = last.length === count;
    for (let index = 0; same && index < count; index++) same = set[index] === last[index];
    if (!same) this.#lastSet = set.slice(0, count);
    return this.#lastSet;
  }
}
