/** Collects the text of a cell of OpenDocument: its paragraphs, without its comments and drawings. */
import { MAX_CELL_CHARACTERS } from '../cell.js';
import type { XmlAttributes } from '../read/safe-xml-parser.js';

/** What is in a cell, and none of its text. */
const NO_TEXT = /^(?:office:annotation|draw:|svg:|text:note|text:ruby-text|table:|form:|script:)/;
/** Line ends and tabs within a paragraph are blanks of the XML. */
const XML_BLANKS = /[\t\r\n]/g;

export class CellParagraphs {
  /** Null without a paragraph. */
  text: string | null = null;
  /** How many elements are open within a paragraph, the paragraph included. */
  #depth = 0;
  /** How many elements are open within one that has no text of the cell, this one included. */
  #skipped = 0;

  begin(): void {
    this.text = null;
    this.#depth = 0;
    this.#skipped = 0;
  }

  /** Whether the text is longer than the text of a cell may be. */
  get isTooLong(): boolean {
    return this.text !== null && this.text.length > MAX_CELL_CHARACTERS;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || NO_TEXT.test(name)) {
      this.#skipped += 1;
      return;
    }
    if (this.#depth > 0) {
      this.#depth += 1;
      this.text += characterOf(name, attributes);
    } else if (name === 'text:p' || name === 'text:h') {
      this.#depth = 1;
      this.text = this.text === null ? '' : `${this.text}\n`;
    }
  }

  close(): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (this.#depth > 0) this.#depth -= 1;
  }

  add(text: string): void {
    if (this.#depth > 0 && this.#skipped === 0) this.text += text.replace(XML_BLANKS, ' ');
  }
}

/** The characters that an element stands for. */
function characterOf(name: string, attributes: XmlAttributes): string {
  if (name === 'text:tab') return '\t';
  if (name === 'text:line-break') return '\n';
  if (name !== 'text:s') return '';
  const count = Number(attributes['text:c'] ?? 1);
  return ' '.repeat(count > 0 ? Math.min(count, MAX_CELL_CHARACTERS + 1) : 1);
}
