/**
 * Reads the many similar elements of a long XML part. Plainly written elements are scanned, which is about three times
 * faster than parsing; all others go to the parser, which also validates the rest of the part.
 */

import type { SaxesTagPlain } from 'saxes';
import { SaxesParser } from 'saxes';
import { LF, SPACE, TAB } from '../../../kernel/characters.js';
import { RejectedInput } from '../../../kernel/rejected-input.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { damaged, tooComplex } from './workbook-problem.js';
import { bytesOfText, textOfBytes, xmlBytes } from './xml-bytes.js';

// A safe parser of XML: no DTD, bounded depth, bounded texts.

export type XmlAttributes = Readonly<Record<string, string>>;

/** Receives elements with their names as they are in the document, including the prefix. */
interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Receives a text in one or several pieces. */
  text(text: string): void;
}

const PIECE_CHARACTERS = 64 * 1024;

class SafeXmlParser {
  /** The number of open elements. */
  depth = 0;
  #written = 0;
  #tagEndedAt = -1;
  #sinceEvent = 0;
  readonly #parser = new SaxesParser({ xmlns: false, position: false });

  readonly #limits: WorkbookLimits;

  constructor(handler: XmlHandler, limits: WorkbookLimits) {
    this.#limits = limits;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw damaged(`its XML is not well-formed (${error.message})`);
    });
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^utf-?(8|16)$/i.test(encoding)) throw damaged(`its XML is in ${encoding}`);
    });
    parser.on('doctype', () => {
      throw doctypeRefused();
    });
    parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
      this.#sinceEvent = 0;
      this.#tagEndedAt = parser.position;
      this.depth += 1;
      if (this.depth > limits.maxDepth) throw tooComplex(`The workbook's XML nests ${this.depth} elements deep`);
      handler.open(name, attributes);
    });
    parser.on('closetag', ({ name }) => {
      this.#sinceEvent = 0;
      this.depth -= 1;
      this.#tagEndedAt = parser.position;
      handler.close(name);
    });
    const text = (piece: string): void => handler.text(piece);
    parser.on('text', text);
    parser.on('cdata', text);
  }

  /**
   * @throws RejectedInput WORKBOOK_DAMAGED, DTD_REFUSED, CELL_TOO_LONG, WORKBOOK_TOO_COMPLEX, and the errors of the
   *   handler.
   */
  write(text: string): void {
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
      const piece = text.length <= PIECE_CHARACTERS ? text : text.slice(at, at + PIECE_CHARACTERS);
      this.#written += piece.length;
      this.#sinceEvent += piece.length;
      this.#parser.write(piece);
      if (this.#sinceEvent > this.#limits.maxTokenBytes) throw this.#tokenTooLong();
    }
  }

  /** Whether the last character written was the end of a tag. */
  get isAtTagEnd(): boolean {
    return this.#tagEndedAt === this.#written;
  }

  finish(): void {
    this.#parser.close();
  }

  #tokenTooLong(): RejectedInput {
    return new RejectedInput(
      'CELL_TOO_LONG',
      `The workbook holds a text of more than ${this.#limits.maxTokenBytes} characters; a cell holds 32767 at most. ` +
        'Shorten it, and upload the workbook again.',
    );
  }
}

/** Reads a whole part through a handler. */
export async function readXml(
  blocks: AsyncIterable<Buffer>,
  handler: XmlHandler,
  limits: WorkbookLimits,
): Promise<void> {
  const parser = new SafeXmlParser(handler, limits);
  for await (const bytes of xmlBytes(blocks)) parser.write(textOfBytes(bytes));
  parser.finish();
}

/** The name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function doctypeRefused(): RejectedInput {
  return new RejectedInput(
    'DTD_REFUSED',
    'The workbook holds a document type declaration, which no spreadsheet program writes and which can be used for an attack. ' +
      'Copy the rows into a new workbook.',
  );
}

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
