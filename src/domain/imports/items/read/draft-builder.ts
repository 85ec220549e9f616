/** Collects what one row says about an item, cell by cell, and its problems. All readers of rows use it. */
import type { ItemTypeCode } from '../../../../../db/models/item.js';
import type { Component } from '../../../catalog/items/bundle-items-cell.js';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../../catalog/items/item-key.js';
import type { ByteEncoder } from '../../../catalog/model/compiled-attribute.js';
import type { DefinitionCategory } from '../../../catalog/site-definitions.js';
import { isLongerThan, isStorable, storable } from '../../../kernel/characters.js';
import { NameHints } from '../../../kernel/nearest-name.js';
import { MAX_ROW_PROBLEMS, type RowProblem } from '../../../kernel/row-problem.js';
import type { ValueProblem } from '../../../kernel/value-problem.js';
import type { RowNotes } from '../../model/row-notes.js';
import { HOW_TO_CREATE } from '../category-index.js';
import { DocumentBuffer, ItemDocument } from '../item-document.js';
import type { ItemRules } from '../item-rules.js';
import { alternatesProblem, channelsProblem, isPlainSku, skuProblem } from './field-problems.js';
import type { AlternateRef, ItemDraft } from './item-draft.js';
import { ValueNotes } from './value-notes.js';

/** Takes the place of the hash of a row of which nothing could be read. */
export const NOT_READ = -1;
/** Takes the place of the hash of a row that has problems: nothing is stored of it, and it may be long. */
export const NOT_HASHED = 0;

/** Shared by all rows that clear no value. */
const NOTHING: readonly number[] = [];

/** Longer category paths are not cached: they are rare, and a malicious input could fill the memory with them. */
const MAX_REMEMBERED_CHARACTERS = 1_000;

/** A parent whose SKU is `detach`, or that with backslashes: exports write one more backslash. */
const ESCAPED_DETACH = /^\\+detach$/;

/** The result of reading a row: a draft, or all its problems. */
export type DraftOutcome =
  | { readonly draft: ItemDraft; readonly problems: null; readonly key: string }
  | {
      readonly draft: null;
      readonly problems: RowProblem[];
      readonly key: string | null;
      /** What else the row says, so that its other problems are found too; null if it cannot be read. */
      readonly rest: ItemDraft | null;
    };

/** What is not known of a row because of a problem: the values that it sets or, besides, the category that it names. */
export type Unknown = 'values' | 'place';

export class DraftBuilder {
  #problems: RowProblem[] | null = null;
  #knowsPlace = true;
  #knowsValues = true;
  #start = 0;
  #inactive = false;
  /** The row's value of the attribute that is mapped to the SKU, as JSON text. */
  #skuValue: string | null = null;
  /** The attributes that the row sets are the first `#setCount` of these: the rows of a chunk share the array. */
  readonly #set: number[] = [];
  #setCount = 0;
  #lastSet: readonly number[] = [];
  #cleared: readonly number[] = NOTHING;
  #sku = '';
  #nodeId: number | null = null;
  #parentSku: string | null | undefined = undefined;
  #parentColumn = '';
  #detach = false;
  #type: ItemTypeCode | null = null;
  #components: readonly Component[] | undefined = undefined;
  #alternates: readonly AlternateRef[] | undefined = undefined;
  #channels: readonly number[] | null | undefined = undefined;
  /** The categories found so far, by the text with which the rows of the chunk name them. */
  readonly #categories = new Map<string, DefinitionCategory>();

  readonly #buffer: DocumentBuffer;
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
    this.#buffer = buffer;
    this.#type = usualType;
  }

  reset(): void {
    this.rules.patternWork.reset();
    this.notes.begin();
    this.#problems = null;
    this.#knowsPlace = true;
    this.#knowsValues = true;
    this.#start = this.#buffer.start();
    this.#inactive = false;
    this.#skuValue = null;
    this.#setCount = 0;
    this.#cleared = NOTHING;
    this.#sku = '';
    this.#nodeId = null;
    this.#parentSku = undefined;
    this.#detach = false;
    this.#type = this.usualType;
    this.#components = undefined;
    this.#alternates = undefined;
    this.#channels = undefined;
  }

  /** @param unknown what is not known of the row because of the problem */
  fail(problem: RowProblem, unknown?: Unknown): void {
    if (unknown !== undefined) this.#knowsValues = false;
    if (unknown === 'place') this.#knowsPlace = false;
    if (this.#problems === null) this.#problems = [problem];
    else if (!this.hasFailedEnough) this.#problems.push(problem);
  }

  /** Fails because of the value of an attribute, which the row does set. */
  failValue(position: number, problem: RowProblem): void {
    this.fail(problem);
    this.#set[this.#setCount++] = position;
  }

  get hasFailed(): boolean {
    return this.#problems !== null;
  }

  /** Whether the row has more problems than are reported, so that the rest of it need not be read. */
  get hasFailedEnough(): boolean {
    return this.#problems !== null && this.#problems.length > MAX_ROW_PROBLEMS;
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
    const category = this.#categoryOf(text);
    if (category === undefined) {
      const message = this.rules.categories.explainMissing(text);
      this.fail({ code: 'NODE_NOT_FOUND', column, message, value: text.slice(0, 200) }, 'place');
    } else {
      this.#categoryNode(category.nodeId, column);
    }
  }

  categoryByNodeId(nodeId: number, column: string): void {
    if (this.rules.categories.byNodeId(nodeId) === undefined) {
      const message = `there is no category with the node id ${nodeId} in the primary tree; GET /api-category/v1/category lists them: correct it, or create the category first (${HOW_TO_CREATE})`;
      this.fail({ code: 'NODE_NOT_FOUND', column, message, value: String(nodeId) }, 'place');
    } else {
      this.#categoryNode(nodeId, column);
    }
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
    const written = sku === null ? null : normalizeSku(sku);
    if (written === 'detach') return this.detach();
    const parent = written !== null && ESCAPED_DETACH.test(written) ? written.slice(1) : written;
    if (parent === null || (parent !== '' && !isLongerThan(parent, MAX_SKU_CHARACTERS) && isStorable(parent))) {
      this.#parentSku = parent;
      this.#parentColumn = column;
      return;
    }
    const message = `the parent's SKU is empty, longer than ${MAX_SKU_CHARACTERS} characters, or holds a NUL; correct it`;
    // What the item inherits depends on its parent.
    this.fail({ code: 'PARENT_NOT_FOUND', column, message, value: storable(parent.slice(0, 100), 100) }, 'values');
  }

  /** Makes the item leave its parent and keep the values that it inherits. */
  detach(): void {
    this.#detach = true;
  }

  type(type: ItemTypeCode): void {
    this.#type = type;
  }

  components(components: readonly Component[]): void {
    this.#components = components;
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
    if (position === this.rules.skuAttribute) {
      this.#skuValue = json;
      return;
    }
    if (position === this.rules.activeAttribute) this.#inactive = json === 'false';
    this.#member(position, json);
    this.#set[this.#setCount++] = position;
  }

  /** Sets a value from the bytes of its cell. @returns false when the attribute's own reader has to read it */
  encode(position: number, encode: ByteEncoder, source: Buffer, start: number, end: number): boolean {
    const key = this.rules.memberKey(position, this.#buffer.length === this.#start);
    if (!this.#buffer.appendCell(key, encode, source, start, end)) return false;
    this.#set[this.#setCount++] = position;
    return true;
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
    if (position !== this.rules.skuAttribute) this.#cleared = [...this.#cleared, position];
  }

  /** Ends the row. @param hash the hash of the row as it is in the input; NOT_READ: nothing of the row was read */
  finish(row: number, hash: number): DraftOutcome {
    this.notes.keep(row);
    this.#fillSkuAttribute();
    if (this.#components !== undefined || this.#type !== null || this.#detach) this.#resolveType();
    const problems = this.#problems;
    if (problems !== null && (hash === NOT_READ || this.hasFailedEnough)) {
      this.#buffer.truncate(this.#start);
      return { draft: null, problems, key: this.#sku === '' ? null : this.#sku, rest: null };
    }
    const draft: ItemDraft = {
      row,
      sku: this.#sku,
      nodeId: this.#nodeId,
      parentSku: this.#parentSku,
      detach: this.#detach,
      type: this.#type,
      components: this.#components,
      alternates: this.#alternates,
      channels: this.#channels,
      document: new ItemDocument(this.#buffer, this.#start, this.#buffer.length, this.#buffer.holdsBackslash),
      inactive: this.#inactive,
      set: this.#sharedSet(),
      cleared: this.#cleared,
      hash,
      faults: problems === null ? null : { problems, knowsPlace: this.#knowsPlace, knowsValues: this.#knowsValues },
    };
    if (problems === null) return { draft, problems: null, key: draft.sku };
    return { draft: null, problems, key: draft.sku === '' ? null : draft.sku, rest: draft };
  }

  /** Checks the type: only bundles hold items, and a bundle cannot be a variant. */
  #resolveType(): void {
    const holds = this.#components !== undefined && this.#components.length > 0;
    if (this.#type === 'I') {
      if (holds)
        this.#contradiction('bundleItems', 'an ITEM cannot hold others; leave them out, or set type to BUNDLE');
      this.#components = undefined;
    } else if (holds) {
      this.#type = 'B';
    }
    if (this.#type === 'B' && typeof this.#parentSku === 'string') {
      this.#contradiction(this.#parentColumn, 'a bundle cannot be a variant of another item; leave the parent out');
    }
    if (this.#detach && typeof this.#parentSku === 'string') {
      this.#contradiction(
        'detach',
        'an item that leaves its parent cannot name one; leave "parentSku" or "detach" out',
      );
    }
  }

  #contradiction(column: string, message: string): void {
    this.fail({ code: 'FIELD_INVALID', column, message });
  }

  #member(position: number, json: string): void {
    const first = this.#buffer.length === this.#start;
    this.#buffer.appendAscii(this.rules.memberKey(position, first));
    this.#buffer.append(json);
  }

  /** The value of the attribute that is mapped to the SKU always equals the SKU. */
  #fillSkuAttribute(): void {
    const position = this.rules.skuAttribute;
    if (position < 0 || this.#sku === '') return;
    const json = JSON.stringify(this.#sku);
    if (this.#skuValue !== null && this.#skuValue !== json) {
      const { name } = this.rules.definition(position);
      const message = `"${name}" is mapped to the SKU, so that it always equals it; leave it out, or give ${json}`;
      this.fail({ code: 'VALUE_PATTERN', column: name, message, value: String(JSON.parse(this.#skuValue)) });
    }
    this.#member(position, json);
  }

  /**
   * A cell is a slice of its chunk's text. Caching it for longer than the chunk would keep the whole text in memory.
   */
  #categoryOf(text: string): DefinitionCategory | undefined {
    const seen = this.#categories.get(text);
    if (seen !== undefined) return seen;
    const { categories } = this.rules;
    const found = text.length > MAX_REMEMBERED_CHARACTERS ? categories.byPath(text) : categories.resolve(copyOf(text));
    if (found !== undefined) this.#categories.set(text, found);
    return found;
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

  #categoryNode(nodeId: number, column: string): void {
    const rules = this.rules.ofCategory(nodeId);
    if (rules !== undefined && !rules.category.leaf) {
      const message = `items belong to categories without subcategories; "${rules.path}" has some, or is the root: name a category below it`;
      this.fail({ code: 'NODE_NOT_LEAF', column, message, value: rules.path }, 'place');
    } else if (this.#nodeId !== null && this.#nodeId !== nodeId) {
      const message = 'nodeName and nodeId name two different categories; name one category';
      this.fail({ code: 'FIELD_INVALID', column, message }, 'place');
    } else {
      this.#nodeId = nodeId;
    }
  }
}

/** Copies a text, so that it does not share memory with a longer one. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
