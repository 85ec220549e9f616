/** The styles of an OpenDocument spreadsheet: which show zeros before numbers, and which hide a sheet. */
import type { XmlAttributes, XmlHandler } from '../read/safe-xml-parser.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { tooComplex } from '../read/workbook-problem.js';
import { formatWithZeros, GENERAL_FORMAT } from './ods-formats.js';

const NUMBER_STYLE = 'number:number-style';

export class OdsStyles implements XmlHandler {
  /** The digits that a style of numbers shows at least; styles that show one digit or more than digits are left out. */
  readonly #digits = new Map<string, number>();
  /** The styles of numbers of the styles of cells. */
  readonly #numbersOfCells = new Map<string, string>();
  readonly #parents = new Map<string, string>();
  readonly #hiding = new Set<string>();
  #style = '';
  #numberStyle = '';
  #isCode = false;

  /** Whether sheets of a style are hidden. */
  hides(style: string | undefined): boolean {
    return style !== undefined && this.#hiding.has(style);
  }

  /** The index of the format in which cells of a style show numbers. */
  formatOf(style: string | undefined): number {
    let of = style;
    for (let step = 0; of !== undefined && step < 8; step += 1) {
      const numbers = this.#numbersOfCells.get(of);
      if (numbers !== undefined) return formatWithZeros(this.#digits.get(numbers) ?? 1);
      of = this.#parents.get(of);
    }
    return GENERAL_FORMAT;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'style:style') this.#openStyle(attributes);
    else if (name === 'style:table-properties' && attributes['table:display'] === 'false') {
      this.#hiding.add(this.#style);
    } else if (name === NUMBER_STYLE) {
      this.#numberStyle = attributes['style:name'] ?? '';
      this.#isCode = true;
    } else if (this.#numberStyle !== '') this.#openPartOfNumber(name, attributes);
    if (this.#digits.size + this.#numbersOfCells.size + this.#parents.size > WORKBOOK_LIMITS.maxStyles) {
      throw tooComplex(`The workbook has more than ${WORKBOOK_LIMITS.maxStyles} styles`);
    }
  }

  close(name: string): void {
    if (name === NUMBER_STYLE) this.#numberStyle = '';
  }

  text(): void {}

  #openStyle(attributes: XmlAttributes): void {
    this.#style = attributes['style:name'] ?? '';
    if (attributes['style:family'] !== 'table-cell') return;
    const numbers = attributes['style:data-style-name'];
    const parent = attributes['style:parent-style-name'];
    if (numbers !== undefined) this.#numbersOfCells.set(this.#style, numbers);
    if (parent !== undefined) this.#parents.set(this.#style, parent);
  }

  /** A style with words, or with decimals, shows no code. */
  #openPartOfNumber(name: string, attributes: XmlAttributes): void {
    const digits = Number(attributes['number:min-integer-digits'] ?? 1);
    this.#isCode &&= name === 'number:number' && Number(attributes['number:decimal-places'] ?? 0) === 0;
    if (this.#isCode && digits > 1) this.#digits.set(this.#numberStyle, digits);
    else this.#digits.delete(this.#numberStyle);
  }
}
