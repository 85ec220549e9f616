/** A safe parser of XML documents: no entities but the predefined, bounded depth and texts, and errors that say where. */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { RejectedInput } from '../../model/rejected-input.js';
import type { SourceLimits } from '../../model/source-limits.js';
import { MAX_DEPTH, MAX_NAME_CHARACTERS, textTooLong, tooDeep } from './nested-limits.js';

type XmlAttributes = Readonly<Record<string, string>>;

/** Receives elements with their names as they are in the document, including the prefix. */
export interface XmlHandler {
  /** The number of rows that are complete; null: none are looked for. */
  readonly rows: number | null;
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Receives a text in one or several pieces. */
  text(text: string): void;
}

export class XmlReader {
  /** The number of open elements. */
  depth = 0;
  #written = 0;
  #tagEndedAt = -1;
  #sinceEvent = 0;
  #hasRoot = false;
  #lines = 0;
  /** Characters behind the last line end. */
  #column = 0;
  #piece = '';
  readonly #parser = new SaxesParser({ xmlns: false, position: false });

  readonly #handler: XmlHandler;
  readonly #limits: Pick<SourceLimits, 'maxCellBytes'>;

  constructor(handler: XmlHandler, limits: Pick<SourceLimits, 'maxCellBytes'>) {
    this.#handler = handler;
    this.#limits = limits;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw this.#notXml(error.message);
    });
    parser.on('doctype', (doctype) => {
      if (doctype.length > MAX_DOCTYPE_CHARACTERS || definesContent(doctype)) throw doctypeRefused();
    });
    parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
      this.#atTag();
      this.#hasRoot = true;
      this.depth += 1;
      if (this.depth > MAX_DEPTH) throw tooDeep(handler.rows === null ? 'The document' : `Row ${handler.rows + 1}`);
      if (name.length > MAX_NAME_CHARACTERS) throw this.#notXml('the name of an element is too long');
      handler.open(name, attributes);
    });
    parser.on('closetag', ({ name }) => {
      this.#atTag();
      this.depth -= 1;
      handler.close(name);
    });
    const text = (piece: string): void => handler.text(piece);
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('comment', () => this.#atTag());
  }

  /** @throws RejectedInput NOT_XML, DTD_REFUSED, TOO_DEEP, CELL_TOO_LONG, and the errors of the handler */
  write(piece: string): void {
    this.#piece = piece;
    this.#sinceEvent += piece.length;
    this.#parser.write(piece);
    if (this.#sinceEvent > this.#limits.maxCellBytes) {
      const { rows } = this.#handler;
      const where = rows === null ? 'The file' : `Row ${rows + 1}`;
      throw textTooLong(where, this.#limits.maxCellBytes, (rows ?? -1) + 1);
    }
    this.#written += piece.length;
    this.skip(piece);
  }

  /** Notes the line ends of a piece that was read without the parser. */
  skip(piece: string): void {
    let last = -1;
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) {
      this.#lines += 1;
      last = at;
    }
    this.#column = last < 0 ? this.#column + piece.length : piece.length - last - 1;
    this.#piece = '';
  }

  /** Whether the last character written was the end of a tag or comment. */
  get isAtTagEnd(): boolean {
    return this.#tagEndedAt === this.#written;
  }

  /** @throws RejectedInput EMPTY_FILE, NOT_XML */
  finish(): void {
    if (!this.#hasRoot) throw new RejectedInput('EMPTY_FILE', 'The XML document has no elements.');
    if (this.depth > 0) throw this.#notXml('the file ends before all elements are closed; upload it whole');
    this.#parser.close();
  }

  #atTag(): void {
    this.#sinceEvent = 0;
    this.#tagEndedAt = this.#parser.position;
  }

  #notXml(what: string): RejectedInput {
    const read = this.#piece.slice(0, Math.max(0, this.#parser.position - this.#written));
    const lines = read.split('\n');
    const line = this.#lines + lines.length;
    const column = (lines.length === 1 ? this.#column : 0) + (lines.at(-1) ?? '').length;
    const { rows } = this.#handler;
    const [atRow, place] = rows === null ? ['', {}] : [` (at row ${rows + 1})`, { row: rows + 1 }];
    const message = `The file is not well-formed XML: in line ${line}, column ${Math.max(1, column)}${atRow}, ${explained(what)}. Correct it, or export the file again.`;
    return new RejectedInput('NOT_XML', message, place);
  }
}

/** What the parser says, without its full stop, and with what to do where that is not plain. */
function explained(what: string): string {
  const said = what.replace(/[.\s]+$/, '');
  if (/undefined entity/.test(said))
    return 'there is an entity that XML does not know, such as &nbsp;; write the character itself';
  if (/unexpected close tag|unmatched closing tag/.test(said))
    return `there is a closing tag whose element is not the one that is open (${said})`;
  return said;
}

/**
 * What changes the content of elements. Which elements there may be, as BMEcat has it for the fields of a user, is nothing
 * that a reader needs; nor are parameter entities, whose text is never put in.
 */
const DEFINES_CONTENT = /<!ENTITY\s(?!\s*%\s)|<!ATTLIST\s/;
/** No program writes as much. */
const MAX_DOCTYPE_CHARACTERS = 64 * 1024;

/** Comments are left out; one without an end is none. */
function definesContent(doctype: string): boolean {
  let at = 0;
  for (;;) {
    const begin = doctype.indexOf('<!--', at);
    const end = begin < 0 ? -1 : doctype.indexOf('-->', begin + 4);
    if (DEFINES_CONTENT.test(doctype.slice(at, end < 0 ? undefined : begin))) return true;
    if (end < 0) return false;
    at = end + 3;
  }
}

function doctypeRefused(): RejectedInput {
  return new RejectedInput(
    'DTD_REFUSED',
    'The document type declaration defines entities or attributes of its own, which change what the file says and can be used for an attack, or is longer than 65,536 characters. Remove what stands in its brackets.',
  );
}
