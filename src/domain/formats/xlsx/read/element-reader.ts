/**
 * Reads the many similar elements of a long XML part. Plainly written elements are scanned, which is about three times
 * faster than parsing; all others go to the parser, which also validates the rest of the part.
 */
import { LF, SPACE, TAB } from '../../../kernel/characters.js';
import { localName, SafeXmlParser, type XmlAttributes, type XmlHandler } from './safe-xml-parser.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { bytesOfText, textOfBytes } from './xml-bytes.js';

/** Characters that XML does not allow, that it changes on reading, or that may not occur in a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const ODD = /[\x00-\x08\x0b-\x1f]|\]\]>|\xef\xbf[\xbe\xbf]/g;
/** Longer elements are parsed while they arrive, because no more than this is held. */
const MAX_HELD_CHARACTERS = 512 * 1024;

/**
 * Receives the elements within the container, by names without its prefix, and texts as strings of bytes (xml-bytes).
 */
export interface ElementHandler extends XmlHandler {
  /**
   * Reads the whole element text[start, end).
   * @returns false, without any effect, when it is not plainly written.
   */
  scan(text: string, start: number, end: number): boolean;
}

interface ElementNames {
  /** The element that contains the elements: `sheetData`. */
  readonly container: string;
  /** The closing tag of one of the elements: `</row>`. */
  readonly closing: string;
}

export class ElementReader {
  #held = '';
  #scanning = false;
  #inContainer = false;
  #ended = false;
  #containerDepth = 0;
  /** The prefix of the container, which its elements must have, too; elements are scanned only when it is empty. */
  #prefix = '';
  readonly #xml: SafeXmlParser;

  readonly #handler: ElementHandler;
  readonly #names: ElementNames;

  constructor(handler: ElementHandler, names: ElementNames, limits: WorkbookLimits) {
    this.#handler = handler;
    this.#names = names;
    this.#xml = new SafeXmlParser(
      {
        open: (name, attributes) => this.#open(name, attributes),
        close: (name) => this.#close(name),
        text: (text) => handler.text(bytesOfText(text)),
      },
      limits,
    );
  }

  /** @param text a string of bytes that ends with a complete character. */
  write(text: string): void {
    const all = this.#held === '' ? text : this.#held + text;
    this.#held = '';
    const from = this.#read(all);
    if (from < all.length) this.#held = all.slice(from);
  }

  finish(): void {
    this.#xml.write(textOfBytes(this.#held));
    this.#xml.finish();
  }

  /** @returns how much of the text was read. */
  #read(text: string): number {
    const { closing } = this.#names;
    let oddAt = -1;
    let at = 0;
    while (at < text.length) {
      if (this.#ended) return this.#give(text, at, text.length);
      if (!this.#scanning) {
        at = this.#parse(text, at);
        continue;
      }
      at = afterSpace(text, at);
      const found = text.indexOf(closing, at);
      if (found < 0) {
        if (text.length - at <= MAX_HELD_CHARACTERS) return at;
        this.#scanning = false;
        continue;
      }
      const end = found + closing.length;
      if (oddAt < at) oddAt = oddFrom(text, at);
      if (end <= oddAt && this.#handler.scan(text, at, end)) at = end;
      else this.#scanning = false;
    }
    return at;
  }

  /** Parses up to where scanning may begin: after an element's end, or after the container's opening tag. */
  #parse(text: string, at: number): number {
    const { container, closing } = this.#names;
    const mark = this.#inContainer ? closing : `<${container}`;
    const found = text.indexOf(mark, at);
    let end = found < 0 ? text.length : found + mark.length;
    if (found >= 0 && !this.#inContainer) end = text.indexOf('>', end) + 1 || text.length;
    this.#give(text, at, end);
    const { depth, isAtTagEnd } = this.#xml;
    this.#scanning = this.#prefix === '' && this.#inContainer && depth === this.#containerDepth && isAtTagEnd;
    return end;
  }

  #give(text: string, start: number, end: number): number {
    this.#xml.write(textOfBytes(start === 0 && end === text.length ? text : text.slice(start, end)));
    return end;
  }

  #open(name: string, attributes: XmlAttributes): void {
    if (this.#inContainer) this.#handler.open(this.#unprefixed(name), attributes);
    else if (localName(name) === this.#names.container && !this.#ended) {
      this.#inContainer = true;
      this.#prefix = name.slice(0, name.length - this.#names.container.length);
      this.#containerDepth = this.#xml.depth;
    }
  }

  #close(name: string): void {
    if (!this.#inContainer) return;
    if (this.#xml.depth >= this.#containerDepth) {
      this.#handler.close(this.#unprefixed(name));
      return;
    }
    this.#inContainer = false;
    this.#ended = true;
  }

  #unprefixed(name: string): string {
    if (this.#prefix === '') return name;
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : FOREIGN;
  }
}

/** Stands for the name of an element with another prefix; no element has this name. */
const FOREIGN = '';

function afterSpace(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== LF && code !== TAB) break;
  }
  return at;
}

function oddFrom(text: string, at: number): number {
  ODD.lastIndex = at;
  const found = ODD.exec(text);
  return found === null ? Number.POSITIVE_INFINITY : found.index;
}
