/**
 * Reads the lines of a JSONL chunk into item drafts from their bytes. Values that an encoder accepts never become
 * strings. Lines that are not plain, or have a problem, are left to the reader of elements, whose decision counts.
 */
import { ATTRIBUTE_TYPES } from '../../../catalog/attribute-types.js';
import type { ByteEncoder } from '../../../catalog/model/compiled-attribute.js';
import { JsonKeyFinder } from '../../../formats/json/json-key-finder.js';
import { type JsonRow, jsonRows } from '../../../formats/json/json-rows.js';
import { JsonTokenizer } from '../../../formats/json/json-tokenizer.js';
import { TOKEN, type Token } from '../../../formats/json/json-tokens.js';
import { RunningHash } from '../../../formats/model/source-hash.js';
import { ByteMap } from '../../../kernel/byte-map.js';
import { LF } from '../../../kernel/characters.js';
import type { JsonBytes } from '../../rows/row-applier.js';
import { type ReadRow, UNCHANGED_ROW } from '../item-batch.js';
import type { DraftBuilder } from '../read/draft-builder.js';
import type { DraftOutcome } from '../read/draft-outcome.js';
import type { RowReader, RowsOfSite } from '../row-reader.js';
import type { UnchangedItems } from '../unchanged-items.js';
import { findUnchangedRows, type SkimmedRows, type Skimmer, UnchangedRows } from './unchanged-rows.js';

/** How many texts of each sort are cached for one chunk: names of categories and names of attributes. */
const MOST_REMEMBERED = 4_096;

const FIELD = { sku: 1, nodeName: 2, attributes: 4 } as const;
const FIELDS = new ByteMap<number>();
for (const [name, bit] of Object.entries(FIELD)) FIELDS.set(Buffer.from(name), 0, name.length, bit);

interface NamedAttribute {
  /** Its name as the rows write it, with the quotes. */
  readonly key: Uint8Array;
  readonly position: number;
  readonly ofText: ByteEncoder | null;
  readonly ofNumber: ByteEncoder | null;
  readonly ofWord: ByteEncoder | null;
}

export class FastJsonReader implements RowReader, Skimmer {
  readonly #bytes: Buffer;
  readonly #tokens: JsonTokenizer;
  readonly #hash: RunningHash;
  readonly #keyFinder = new JsonKeyFinder('sku');
  readonly #categories = new ByteMap<number>();
  readonly #attributes = new ByteMap<NamedAttribute>();
  /** The attributes in the order in which earlier rows named them, because most rows name the same ones. */
  readonly #order: NamedAttribute[] = [];
  /** The last row that named each attribute, by the attribute's position. */
  readonly #namedIn: Float64Array;
  #unchanged = UnchangedRows.NONE;
  #at = 0;
  #row: number;

  /** @param readLine reads the lines that are not plain, with the same builder */
  constructor(
    readonly source: JsonBytes,
    readonly builder: DraftBuilder,
    seed: number,
    readonly readLine: (row: JsonRow) => DraftOutcome,
  ) {
    this.#bytes = source.bytes;
    this.#row = source.firstRow;
    this.#tokens = new JsonTokenizer(source.bytes);
    this.#hash = new RunningHash(seed);
    this.#namedIn = new Float64Array(builder.rules.attributes.length).fill(-1);
  }

  skimSome(skimmed: SkimmedRows, count: number, passedOver: ReadonlyMap<number, number>): boolean {
    const bytes = this.#bytes;
    const finder = this.#keyFinder;
    const hash = this.#hash;
    for (let left = count; left > 0; left--) {
      if (this.#at >= bytes.length) return false;
      const start = this.#at;
      const end = this.#endOfLine(start);
      if (!passedOver.has(this.#row) && finder.find(bytes, start, end)) {
        hash.reset();
        hash.addBytes(bytes, start, end);
        skimmed.add(bytes.toString('utf8', finder.start, finder.end), hash.value(), start, end + 1);
      }
      this.#at = end + 1;
      this.#row++;
    }
    return true;
  }

  async skipUnchanged(site: RowsOfSite): Promise<void> {
    this.#unchanged = await findUnchangedRows(this, site);
    this.#at = 0;
    this.#row = this.source.firstRow;
  }

  unchangedItems(): UnchangedItems {
    return this.#unchanged.items();
  }

  readSome(read: ReadRow[], count: number): boolean {
    const bytes = this.#bytes;
    for (let left = count; left > 0; left--) {
      if (this.#at >= bytes.length) return false;
      const start = this.#at;
      const unchanged = this.#unchanged.endOf(start);
      const end = unchanged < 0 ? this.#endOfLine(start) : unchanged - 1;
      this.#at = end + 1;
      const outcome = unchanged < 0 ? this.#plainLine(start, end) : null;
      if (unchanged >= 0) read.push(UNCHANGED_ROW);
      else if (outcome !== null) read.push({ row: this.#row, outcome });
      else this.#readOddLine(start, end, read);
      this.#row++;
    }
    return true;
  }

  #endOfLine(start: number): number {
    const newline = this.#bytes.indexOf(LF, start);
    return newline < 0 ? this.#bytes.length : newline;
  }

  #readOddLine(start: number, end: number, read: ReadRow[]): void {
    for (const row of jsonRows(this.#bytes.subarray(start, end), { firstRow: this.#row })) {
      read.push({ row: row.row, outcome: this.readLine(row) });
    }
  }

  /** @returns the draft of an object of plain fields; null when the line is anything else, or has a problem */
  #plainLine(start: number, end: number): DraftOutcome | null {
    this.builder.reset();
    const tokens = this.#tokens;
    tokens.enter(start, end);
    if (!this.#object(tokens) || !tokens.atEnd()) return null;
    this.#hash.reset();
    this.#hash.addBytes(this.#bytes, start, end);
    const outcome = this.builder.finish(this.#row, this.#hash.value());
    return outcome.draft === null ? null : outcome;
  }

  #object(tokens: JsonTokenizer): boolean {
    if (!tokens.open()) return false;
    let seen = 0;
    do {
      if (!tokens.key()) return false;
      const field = FIELDS.get(this.#bytes, tokens.start, tokens.end) ?? 0;
      if (field === 0 || (seen & field) !== 0) return false;
      seen |= field;
      if (field === FIELD.attributes) {
        if (!this.#members(tokens)) return false;
      } else if (tokens.value() !== TOKEN.text || tokens.start === tokens.end) {
        return false;
      } else if (field === FIELD.sku) {
        this.builder.sku(this.#text(tokens), 'sku');
      } else {
        this.#category(tokens);
      }
    } while (tokens.comma());
    return (seen & FIELD.sku) !== 0 && tokens.close();
  }

  #category(tokens: JsonTokenizer): void {
    const known = this.#categories.get(this.#bytes, tokens.start, tokens.end);
    if (known !== undefined) {
      this.builder.knownCategory(known);
      return;
    }
    this.builder.category(this.#text(tokens), 'nodeName');
    const nodeId = this.builder.nodeId();
    if (nodeId !== null && this.#categories.size < MOST_REMEMBERED) {
      this.#categories.set(this.#bytes, tokens.start, tokens.end, nodeId);
    }
  }

  #members(tokens: JsonTokenizer): boolean {
    if (!tokens.open()) return false;
    if (tokens.close()) return true;
    let nth = 0;
    do {
      const attribute = this.#nextAttribute(tokens, nth++);
      // An attribute named twice is an error, or its last value counts: the reader of elements decides which.
      if (attribute === undefined || this.#namedIn[attribute.position] === this.#row) return false;
      this.#namedIn[attribute.position] = this.#row;
      if (!this.#value(tokens, attribute)) return false;
    } while (tokens.comma());
    return tokens.close();
  }

  #nextAttribute(tokens: JsonTokenizer, nth: number): NamedAttribute | undefined {
    const likely = this.#order[nth];
    if (likely !== undefined && tokens.isKey(likely.key)) return likely;
    const attribute = tokens.key() ? this.#attribute(tokens) : undefined;
    // The list stays short, because a row that names an attribute twice is not read any further.
    if (attribute !== undefined) this.#order[nth] = attribute;
    return attribute;
  }

  #attribute(tokens: JsonTokenizer): NamedAttribute | undefined {
    const known = this.#attributes.get(this.#bytes, tokens.start, tokens.end);
    if (known !== undefined) return known;
    const { rules } = this.builder;
    const name = this.#text(tokens);
    const position = rules.positionOf(name);
    // JSON.parse moves keys that look like integers to the front of an object, so that such a row is not plain.
    if (position === undefined || /^\d/.test(name)) return undefined;
    const definition = rules.definition(position);
    const { jsonTokens } = ATTRIBUTE_TYPES[definition.type];
    const encode = rules.byteEncoder(position);
    const attribute: NamedAttribute = {
      key: Uint8Array.prototype.slice.call(this.#bytes, tokens.start - 1, tokens.end + 1),
      position,
      ofText: jsonTokens.includes('text') ? encode : null,
      ofNumber: jsonTokens.includes('number') ? encode : null,
      ofWord: jsonTokens.includes('word') ? encode : null,
    };
    if (this.#attributes.size < MOST_REMEMBERED) {
      this.#attributes.set(this.#bytes, tokens.start, tokens.end, attribute);
    }
    return attribute;
  }

  #value(tokens: JsonTokenizer, attribute: NamedAttribute): boolean {
    const { position } = attribute;
    const token = tokens.value();
    const { start, end } = tokens;
    if (token === TOKEN.none) return false;
    const encode = encoderOf(token, attribute);
    if (encode !== null && start < end && this.builder.encode(position, encode, this.#bytes, start, end)) return true;
    const value = tokens.parsed();
    if (value === undefined) return false;
    if (value === null || value === '') {
      this.builder.clear(position);
      return true;
    }
    const { definition, fromJson } = this.builder.rules.attribute(position);
    const json = fromJson(value);
    if (typeof json !== 'string') return false;
    if (typeof value === 'string') this.builder.setFromText(position, definition.name, value, json, true);
    else this.builder.set(position, json);
    return true;
  }

  #text({ start, end }: JsonTokenizer): string {
    return this.#bytes.toString('utf8', start, end);
  }
}

function encoderOf(token: Token, { ofText, ofNumber, ofWord }: NamedAttribute): ByteEncoder | null {
  if (token === TOKEN.text) return ofText;
  if (token === TOKEN.number) return ofNumber;
  return token === TOKEN.word ? ofWord : null;
}
