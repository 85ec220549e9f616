/** A safe parser of XML: no DTD, bounded depth, bounded texts. */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { RejectedInput } from '../../model/rejected-input.js';
import type { WorkbookLimits } from './workbook-limits.js';
import { damaged, tooComplex } from './workbook-problem.js';
import { textOfBytes, xmlBytes } from './xml-bytes.js';

export type XmlAttributes = Readonly<Record<string, string>>;

/** Receives elements with their names as they are in the document, including the prefix. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Receives a text in one or several pieces. */
  text(text: string): void;
}

const PIECE_CHARACTERS = 64 * 1024;

export class SafeXmlParser {
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
