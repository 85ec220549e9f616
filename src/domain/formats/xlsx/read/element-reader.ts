/**
 * Reads the many equal elements of a long XML part. Those that are plainly written are scanned, which is some three times
 * faster than parsing; whatever is not goes to the parser, which is the judge of the whole part.
 */
import type { WorkbookLimits } from './workbook-limits.js';
import { bytesOfText, textOfBytes } from './xml-bytes.js';
import { localName, type XmlAttributes, type XmlHandler, XmlJudge } from './xml-judge.js';

/** Characters that XML has none for, that it changes on reading, or that may not stand in a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\x00-\x08\x0b-\x1f]|\]\]>|\xef\xbf[\xbe\xbf]/g;
/** What is longer is parsed while it comes in, for no more than this is held. */
const MAX_HELD_CHARACTERS = 512 * 1024;

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;

/** Hears of what is within the container, by names without its prefix; of texts as strings of bytes (xml-bytes). */
export interface ElementHandler extends XmlHandler {
  /**
   * Reads the whole element text[start, end).
   * @returns false, and has done nothing, when it is not plainly written.
   */
  scan(text: string, start: number, end: number): boolean;
}

export interface ElementNames {
  /** What contains the elements: `sheetData`. */
  readonly container: string;
  /** Of one of the elements: `</row>`. */
  readonly closing: string;
}

export class ElementReader {
  #held = '';
  #scanning = false;
  #inContainer = false;
  #ended = false;
  #containerDepth = 0;
  /** Of the container, and so of what counts within it; elements are scanned only where it is empty. */
  #prefix = '';
  readonly #judge: XmlJudge;

  readonly #handler: ElementHandler;
  readonly #names: ElementNames;

  constructor(handler: ElementHandler, names: ElementNames, limits: WorkbookLimits) {
    this.#handler = handler;
    this.#names = names;
    this.#judge = new XmlJudge(
      {
        open: (name, attributes) => this.#open(name, attributes),
        close: (name) => this.#close(name),
        text: (text) => handler.text(bytesOfText(text)),
      },
      limits,
    );
  }

  /** @param text a string of bytes that ends with a whole character. */
  write(text: string): void {
    const all = this.#held === '' ? text : this.#held + text;
    this.#held = '';
    const from = this.#read(all);
    if (from < all.length) this.#held = all.slice(from);
  }

  finish(): void {
    this.#judge.write(textOfBytes(this.#held));
    this.#judge.finish();
  }

  /** @returns how much of the text is done with. */
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

  /** Parses up to where scanning may begin: behind an element's end, or behind the container's opening tag. */
  #parse(text: string, at: number): number {
    const { container, closing } = this.#names;
    const mark = this.#inContainer ? closing : `<${container}`;
    const found = text.indexOf(mark, at);
    let end = found < 0 ? text.length : found + mark.length;
    if (found >= 0 && !this.#inContainer) end = text.indexOf('>', end) + 1 || text.length;
    this.#give(text, at, end);
    const { depth, isAtTagEnd } = this.#judge;
    this.#scanning = this.#prefix === '' && this.#inContainer && depth === this.#containerDepth && isAtTagEnd;
    return end;
  }

  #give(text: string, start: number, end: number): number {
    this.#judge.write(textOfBytes(start === 0 && end === text.length ? text : text.slice(start, end)));
    return end;
  }

  #open(name: string, attributes: XmlAttributes): void {
    if (this.#inContainer) this.#handler.open(this.#unprefixed(name), attributes);
    else if (localName(name) === this.#names.container && !this.#ended) {
      this.#inContainer = true;
      this.#prefix = name.slice(0, name.length - this.#names.container.length);
      this.#containerDepth = this.#judge.depth;
    }
  }

  #close(name: string): void {
    if (!this.#inContainer) return;
    if (this.#judge.depth >= this.#containerDepth) {
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

/** No name of an element. */
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
