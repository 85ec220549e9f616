/** Reads the rows of XML documents. */
import type { SourceLimits } from '../../model/source-limits.js';
import { ElementBuilder } from './element-builder.js';
import type { NestedRow } from './nested-value.js';
import { type XmlHandler, XmlReader } from './xml-reader.js';
import { XmlScanner } from './xml-scanner.js';

/** Characters that XML does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
/** A row that is longer is parsed while it arrives, because no more than this is held. */
const MAX_HELD_CHARACTERS = 512 * 1024;

/** The elements at a path are rows; rows within rows are parts of them. */
export class XmlRows implements XmlHandler {
  rows = 0;
  #found: NestedRow[] = [];
  #held = '';
  /** How many of the open elements are steps of the path. */
  #matched = 0;
  #isInRow = false;
  readonly #builder: ElementBuilder;
  readonly #scanner: XmlScanner;
  readonly #xml: XmlReader;
  /** How a row begins: `<product`. */
  readonly #opening: string;
  readonly #closing: string;

  readonly #steps: readonly string[];

  constructor(steps: readonly string[], limits: SourceLimits) {
    this.#steps = steps;
    const name = steps.at(-1) ?? '';
    this.#opening = `<${name}`;
    this.#closing = `</${name}>`;
    this.#builder = new ElementBuilder(limits);
    this.#scanner = new XmlScanner(this.#builder);
    this.#xml = new XmlReader(this, limits);
  }

  /** @param text with line ends of LF alone. @throws RejectedInput */
  write(text: string): void {
    const all = this.#held === '' ? text : this.#held + text;
    this.#held = '';
    // Forbidden characters are refused by the parser.
    if (this.#steps.length === 0 || FORBIDDEN.test(text)) this.#xml.write(all);
    else {
      const from = this.#read(all);
      if (from < all.length) this.#held = all.slice(from);
    }
  }

  /** @throws RejectedInput */
  finish(): void {
    if (this.#held !== '') this.#xml.write(this.#held);
    this.#held = '';
    this.#xml.finish();
  }

  take(): readonly NestedRow[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { depth } = this.#xml;
    const builder = this.#builder;
    if (!this.#isInRow) {
      if (this.#matched !== depth - 1 || this.#steps[this.#matched] !== name) return;
      this.#matched += 1;
      if (this.#matched < this.#steps.length) return;
      this.#isInRow = true;
      builder.begin(this.rows + 1);
    }
    builder.open(name);
    for (const attribute in attributes) builder.attribute(attribute, attributes[attribute] as string);
  }

  close(): void {
    const { depth } = this.#xml;
    if (this.#isInRow) {
      const value = this.#builder.close();
      if (value === undefined) return;
      this.#isInRow = false;
      this.#add(value);
    }
    if (this.#matched > depth) this.#matched = depth;
  }

  text(text: string): void {
    if (this.#isInRow) this.#builder.text(text);
  }

  /** @returns how much of the text was read */
  #read(text: string): number {
    let at = 0;
    while (at < text.length) {
      const start = this.#nextRow(text, at);
      if (start < 0) return text.length;
      if (!this.#mayScan(text, start)) {
        if (text.length - start <= this.#opening.length) return start;
        this.#xml.write(text.slice(start, start + this.#opening.length));
        at = start + this.#opening.length;
        continue;
      }
      const value = this.#scanner.read(text, start, this.rows + 1, this.#matched);
      if (value !== null) {
        at = this.#scanner.at;
        this.#xml.skip(text.slice(start, at));
        this.#add(value);
        continue;
      }
      const end = text.indexOf(this.#closing, start);
      if (end < 0 && text.length - start <= MAX_HELD_CHARACTERS) return start;
      const to = end < 0 ? text.length : end + this.#closing.length;
      this.#xml.write(text.slice(start, to));
      at = to;
    }
    return at;
  }

  /** Parses what stands before the next row, blanks before it aside. @returns where it begins; -1: all was parsed */
  #nextRow(text: string, from: number): number {
    const found = text.indexOf(this.#opening, from);
    if (found < 0) {
      const cut = text.lastIndexOf('<');
      const rest = cut >= from && this.#opening.startsWith(text.slice(cut)) ? cut : text.length;
      if (rest > from) this.#xml.write(text.slice(from, rest));
      this.#held = text.slice(rest);
      return -1;
    }
    let end = found;
    while (end > from && isSpace(text.charCodeAt(end - 1))) end -= 1;
    if (end > from) this.#xml.write(text.slice(from, end));
    if (end < found) {
      // Blanks between rows say nothing, but their line ends count.
      if (this.#isBetweenRows) this.#xml.skip(text.slice(end, found));
      else this.#xml.write(text.slice(end, found));
    }
    return found;
  }

  get #isBetweenRows(): boolean {
    return !this.#isInRow && this.#matched === this.#steps.length - 1 && this.#matched === this.#xml.depth;
  }

  #mayScan(text: string, start: number): boolean {
    const next = text.charCodeAt(start + this.#opening.length);
    const isWhole = next === 0x3e || next === 0x2f || isSpace(next);
    return isWhole && this.#isBetweenRows && this.#steps.length > 1 && this.#xml.isAtTagEnd;
  }

  #add(value: NestedRow['value']): void {
    this.rows += 1;
    this.#found.push({ row: this.rows, value, problem: null });
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}
