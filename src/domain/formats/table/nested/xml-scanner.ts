/**
 * Reads an element that is plainly written faster than the parser does. Whatever is not, and every
 * mistake, is left to the parser, which says what is wrong.
 */
import type { ElementBuilder } from './element-builder.js';
import { MAX_DEPTH, MAX_NAME_CHARACTERS } from './nested-limits.js';
import type { XmlElement } from './nested-value.js';

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);
const NUMBER = /^#(?:\d{1,7}|x[0-9a-fA-F]{1,6})$/;
const LONGEST_REFERENCE = 10;
const NAME = /^[A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff][-.:\w\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff]*$/;
const MOST_NAMES = 10_000;

enum Code {
  Space = 0x20,
  Quote = 0x22,
  Hash = 0x23,
  Apostrophe = 0x27,
  Slash = 0x2f,
  Less = 0x3c,
  Equals = 0x3d,
  Greater = 0x3e,
  Question = 0x3f,
  Exclamation = 0x21,
}

export class XmlScanner {
  /** The names that were checked: a document has few. */
  readonly #names = new Set<string>();
  readonly #open: string[] = [];
  #at = 0;

  readonly #builder: ElementBuilder;

  constructor(builder: ElementBuilder) {
    this.#builder = builder;
  }

  /** The index after the element that was read. */
  get at(): number {
    return this.#at;
  }

  /**
   * Reads the element that begins at `start`. The text has no characters that XML forbids or changes, such as CR.
   * @param outer how many elements contain it
   * @returns null if it is not plainly written, or if it is not complete
   */
  read(text: string, start: number, row: number, outer: number): XmlElement | null {
    const builder = this.#builder;
    const open = this.#open;
    builder.begin(row);
    open.length = 0;
    this.#at = start;
    for (;;) {
      const at = this.#at;
      const code = text.charCodeAt(at + 1);
      if (code === Code.Slash) {
        const name = open.pop() as string;
        const end = at + 2 + name.length;
        if (!text.startsWith(name, at + 2) || text.charCodeAt(end) !== Code.Greater) return null;
        this.#at = end + 1;
        const element = builder.close();
        if (element !== undefined) return element;
      } else if (code === Code.Exclamation) {
        if (!this.#special(text)) return null;
      } else if (code === Code.Question) {
        return null;
      } else {
        const element = this.#openTag(text);
        if (element === null) return null;
        if (element !== undefined) return element;
        if (open.length + outer > MAX_DEPTH) return null;
      }
      if (!this.#text(text)) return null;
    }
  }

  /** Reads the text up to the next tag. */
  #text(text: string): boolean {
    const from = this.#at;
    const to = text.indexOf('<', from);
    if (to < 0) return false;
    this.#at = to;
    if (to === from) return true;
    const piece = text.slice(from, to);
    if (piece.includes(']]>')) return false;
    const decoded = decode(piece);
    if (decoded === null) return false;
    this.#builder.text(decoded);
    return true;
  }

  /** Reads a CDATA section or a comment. */
  #special(text: string): boolean {
    const at = this.#at;
    if (text.startsWith('[CDATA[', at + 2)) {
      const end = text.indexOf(']]>', at + 9);
      if (end < 0) return false;
      this.#builder.text(text.slice(at + 9, end));
      this.#at = end + 3;
      return true;
    }
    if (!text.startsWith('--', at + 2)) return false;
    const end = text.indexOf('--', at + 4);
    if (end < 0 || text.charCodeAt(end + 2) !== Code.Greater) return false;
    this.#at = end + 3;
    return true;
  }

  /** @returns null: it is not plain; undefined: the row goes on */
  #openTag(text: string): XmlElement | null | undefined {
    const start = this.#at + 1;
    let at = start;
    while (isNamePart(text.charCodeAt(at))) at += 1;
    const name = text.slice(start, at);
    if (!this.#isName(name)) return null;
    this.#builder.open(name);
    const end = text.charCodeAt(at) === Code.Greater ? at : this.#attributes(text, at);
    if (end < 0) return null;
    if (text.charCodeAt(end) === Code.Greater) {
      this.#at = end + 1;
      this.#open.push(name);
      return undefined;
    }
    this.#at = end + 2;
    return this.#builder.close();
  }

  /** @returns the index of the `>` or `/>` that ends the tag; -1: it is not plain */
  #attributes(text: string, from: number): number {
    const names: string[] = [];
    let at = from;
    for (;;) {
      const before = at;
      while (isSpace(text.charCodeAt(at))) at += 1;
      const code = text.charCodeAt(at);
      if (code === Code.Greater) return at;
      if (code === Code.Slash) return text.charCodeAt(at + 1) === Code.Greater ? at : -1;
      const start = at;
      while (isNamePart(text.charCodeAt(at))) at += 1;
      const name = text.slice(start, at);
      if (start === before || !this.#isName(name) || names.includes(name)) return -1;
      names.push(name);
      const quote = text.charCodeAt(at + 1);
      if (text.charCodeAt(at) !== Code.Equals || (quote !== Code.Quote && quote !== Code.Apostrophe)) return -1;
      const end = text.indexOf(quote === Code.Quote ? '"' : "'", at + 2);
      if (end < 0) return -1;
      const value = attributeValue(text.slice(at + 2, end));
      if (value === null) return -1;
      this.#builder.attribute(name, value);
      at = end + 1;
    }
  }

  #isName(name: string): boolean {
    if (this.#names.has(name)) return true;
    if (name.length > MAX_NAME_CHARACTERS || !NAME.test(name)) return false;
    if (this.#names.size < MOST_NAMES) this.#names.add(name);
    return true;
  }
}

function attributeValue(written: string): string | null {
  if (written.includes('<')) return null;
  return decode(/[\t\n]/.test(written) ? written.replace(/[\t\n]/g, ' ') : written);
}

/** Null: there is a reference that is not plain. */
function decode(text: string): string | null {
  if (!text.includes('&')) return text;
  let decoded = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end < 0 || end - at > LONGEST_REFERENCE) return null;
    const character = characterOf(text.slice(at + 1, end));
    if (character === null) return null;
    decoded += text.slice(from, at) + character;
    from = end + 1;
  }
  return decoded + text.slice(from);
}

function characterOf(reference: string): string | null {
  if (reference.charCodeAt(0) !== Code.Hash) return ENTITIES.get(reference) ?? null;
  if (!NUMBER.test(reference)) return null;
  const code = reference[1] === 'x' ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  return isCharacter(code) ? String.fromCodePoint(code) : null;
}

function isCharacter(code: number): boolean {
  if (code < Code.Space) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}

/** Whether a character goes on with a name; what it may be is checked by the whole name. */
function isNamePart(code: number): boolean {
  return (
    code > Code.Space && code !== Code.Greater && code !== Code.Slash && code !== Code.Equals && code !== Code.Less
  );
}

function isSpace(code: number): boolean {
  return code === Code.Space || code === 0x0a || code === 0x09;
}
