/** Collects what one row says about an item, cell by cell, and its problems. All readers of rows use it. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import { normalizeSku } from '../../../catalog/items/item-key.js';
import type { ByteEncoder } from '../../../catalog/model/compiled-attribute.js';
import { NameHints } from '../../../kernel/nearest-name.js';
import type { RowProblem } from '../../../kernel/row-problem.js';
import type { ValueProblem } from '../../../kernel/value-problem.js';
import type { RowNotes } from '../../rows/row-notes.js';
import { DocumentBuffer } from '../item-document.js';
import type { ItemRules } from '../item-rules.js';
import { type DraftOutcome, NOT_READ } from './draft-outcome.js';
import { alternatesProblem, channelsProblem, isPlainSku, skuProblem } from './field-problems.js';
import { FoundFaults, type Unknown } from './found-faults.js';
import type { AlternateRef, ItemDraft } from './item-draft.js';
import { RowCategories } from './row-categories.js';
import { RowRelations } from './row-relations.js';
import { RowValues } from './row-values.js';
import { ValueNotes } from './value-notes.js';

export class DraftBuilder {
  readonly #faults = new FoundFaults();
  #sku = '';
  #nodeId: number | null = null;
  readonly #relations = new RowRelations();
  #alternates: readonly AlternateRef[] | undefined = undefined;
  #channels: readonly number[] | null | undefined = undefined;
  readonly #categories: RowCategories;
  readonly #rowValues: RowValues;
  /** What is noted about the rows of the chunk, and about their values. */
  readonly notes: RowNotes;
  readonly values: ValueNotes;
  /** The attributes that its rows may mean by names of none. */
  readonly attributeHints = new NameHints(
    () => this.rules.definitions.attributes,
    ({ name }) => name,
  );
  /** Creates a builder for the rows of one chunk. @param buffer where their documents are written */
  constructor(
    readonly rules: ItemRules,
    buffer: DocumentBuffer = DocumentBuffer.forChunk(),
    /** The type of rows that do not name one; null: new ones are items. */
    readonly usualType: ItemTypeCode | null = null,
    /** Whether the job says how its numbers are written. */
    isDecided = false,
  ) {
    this.values = new ValueNotes(rules, isDecided);
    this.notes = this.values.notes;
    this.#categories = new RowCategories(rules);
    this.#rowValues = new RowValues(rules, buffer);
    this.#relations.reset(usualType);
  }

  reset(): void {
    this.rules.patternWork.reset();
    this.notes.begin();
    this.#faults.reset();
    this.#rowValues.reset();
    this.#sku = '';
    this.#nodeId = null;
    this.#relations.reset(this.usualType);
    this.#alternates = undefined;
    this.#channels = undefined;
  }

  /** @param unknown what is not known of the row because of the problem */
  fail(problem: RowProblem, unknown?: Unknown): void {
    this.#faults.add(problem, unknown);
  }

  /** Fails because of the value of an attribute, which the row does set. */
  failValue(position: number, problem: RowProblem): void {
    this.fail(problem);
    this.#rowValues.noteSet(position);
  }

  get hasFailed(): boolean {
    return this.#faults.problems !== null;
  }

  /** Whether the row has more problems than are reported, so that the rest of it need not be read. */
  get hasFailedEnough(): boolean {
    return this.#faults.areEnough;
  }

  sku(text: string, column: string): void {
    if (isPlainSku(text)) {
      this.#sku = text;
      return;
    }
    const sku = normalizeSku(text);
    const problem = skuProblem(sku, column);
    if (problem !== null) return this.fail(problem);
    this.#sku = sku;
    this.values.noteSku(column, text, sku);
  }

  category(text: string, column: string): void {
    this.#place(this.#categories.named(text, column), column);
  }

  categoryByNodeId(nodeId: number, column: string): void {
    this.#place(this.#categories.withNodeId(nodeId, column), column);
  }

  /** Sets a category that an earlier row has already passed through all checks. */
  knownCategory(nodeId: number): void {
    this.#nodeId = nodeId;
  }

  /** The node id of the row's category; null when it has none, or none that may contain items. */
  nodeId(): number | null {
    return this.#nodeId;
  }

  /** @param sku `detach` makes the item leave its parent and keep the values that it inherits; `\detach` is that SKU */
  parent(sku: string | null, column: string): void {
    const problem = this.#relations.parent(sku, column);
    // What the item inherits depends on its parent.
    if (problem !== null) this.fail(problem, 'values');
  }

  /** Makes the item leave its parent and keep the values that it inherits. */
  detach(): void {
    this.#relations.detach = true;
  }

  type(type: ItemTypeCode): void {
    this.#relations.type = type;
  }

  components(components: readonly Component[]): void {
    this.#relations.components = components;
  }

  alternates(named: readonly AlternateRef[], column: string): void {
    const problem = alternatesProblem(named, column);
    if (problem === null) this.#alternates = named;
    else this.fail(problem);
  }

  /** @param channels null: the item belongs to all channels */
  channels(channels: readonly number[] | null, column: string): void {
    const problem = channels === null ? null : channelsProblem(channels, column);
    if (problem !== null) this.fail(problem);
    else this.#channels = channels === null ? null : [...new Set(channels)].sort((a, b) => a - b);
  }

  /** @param json the value's canonical JSON text */
  set(position: number, json: string): void {
    this.#rowValues.set(position, json);
  }

  /** Sets a value from the bytes of its cell. @returns false when the attribute's own reader has to read it */
  encode(position: number, encode: ByteEncoder, source: Buffer, start: number, end: number): boolean {
    return this.#rowValues.encode(position, encode, source, start, end);
  }

  /**
   * Sets a value that was read from a text, and notes what is striking about it.
   * @param column what its column is called
   * @param isTyped whether the input says what the text is, such as a cell of a workbook that is a number
   */
  setFromText(position: number, column: string, text: string, json: string, isTyped = false): void {
    this.set(position, json);
    this.values.noteText(position, column, text, json, isTyped);
  }

  /** Fails because of a value that was read from a text, and notes whether it shows how others are meant. */
  failFromText(position: number, column: string, text: string, problem: ValueProblem, isTyped = false): void {
    this.failValue(position, problem.at(column));
    if (!isTyped) this.values.noteRefused(position, column, text);
  }

  clear(position: number): void {
    this.#rowValues.clear(position);
  }

  /** Ends the row. @param hash the hash of the row as it is in the input; NOT_READ: nothing of the row was read */
  finish(row: number, hash: number): DraftOutcome {
    this.notes.keep(row);
    const other = this.#rowValues.fillSkuAttribute(this.#sku);
    if (other !== null) this.fail(other);
    const relations = this.#relations;
    relations.resolve(this.#faults);
    const { problems } = this.#faults;
    if (problems !== null && (hash === NOT_READ || this.hasFailedEnough)) {
      this.#rowValues.discard();
      return { draft: null, problems, key: this.#sku === '' ? null : this.#sku, rest: null };
    }
    const { document, inactive, set, cleared } = this.#rowValues.ofDraft();
    const draft: ItemDraft = {
      row,
      sku: this.#sku,
      nodeId: this.#nodeId,
      parentSku: relations.parentSku,
      detach: relations.detach,
      type: relations.type,
      components: relations.components,
      alternates: this.#alternates,
      channels: this.#channels,
      document,
      inactive,
      set,
      cleared,
      hash,
      faults: this.#faults.ofDraft(),
    };
    if (problems === null) return { draft, problems: null, key: draft.sku };
    return { draft: null, problems, key: draft.sku === '' ? null : draft.sku, rest: draft };
  }

  /** @param found the category's node id, or why the item cannot be in the category */
  #place(found: number | RowProblem, column: string): void {
    if (typeof found !== 'number') {
      this.fail(found, 'place');
    } else if (this.#nodeId !== null && this.#nodeId !== found) {
      const message = 'nodeName and nodeId name two different categories; name one category';
      this.fail({ code: 'FIELD_INVALID', column, message }, 'place');
    } else {
      this.#nodeId = found;
    }
  }
}
