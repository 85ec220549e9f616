/** Finds hidden rows and columns, and merged cells, of a sheet of OpenDocument. */
import type { XmlAttributes, XmlHandler } from '../read/safe-xml-parser.js';
import { type FoundMarks, hiddenColumns } from '../read/sheet-marks.js';

export class OdsMarks implements XmlHandler {
  /** How many tables are open: a cell may contain a table. */
  #tables = 0;
  #isRead = false;
  #row = 0;
  #repeated = 1;
  #column = 0;
  #isHidden = false;
  #isFilled = false;

  readonly #name: string;
  readonly #from: number;
  readonly #found: FoundMarks;

  /** @param from the first row of data */
  constructor(name: string, from: number, found: FoundMarks) {
    this.#name = name;
    this.#from = from;
    this.#found = found;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'table:table') {
      this.#tables += 1;
      if (this.#tables === 1) this.#isRead = attributes['table:name'] === this.#name;
    }
    if (!this.#isRead || this.#tables !== 1) return;
    if (name === 'table:table-column') this.#openColumn(attributes);
    else if (name === 'table:table-row') {
      this.#repeated = countIn(attributes['table:number-rows-repeated']);
      this.#isHidden = isHidden(attributes);
      this.#isFilled = false;
    } else if (name === 'table:table-cell') this.#openCell(attributes);
  }

  close(name: string): void {
    if (name === 'table:table') this.#tables -= 1;
    if (!this.#isRead || this.#tables !== 1 || name !== 'table:table-row') return;
    if (this.#isHidden && this.#isFilled && this.#row + 1 >= this.#from) {
      this.#found.firstRow ||= this.#row + 1;
      this.#found.rows += this.#repeated;
    }
    this.#row += this.#repeated;
  }

  text(): void {}

  #openColumn(attributes: XmlAttributes): void {
    const repeated = countIn(attributes['table:number-columns-repeated']);
    if (isHidden(attributes)) hiddenColumns(this.#found, this.#column, this.#column + repeated - 1);
    this.#column += repeated;
  }

  #openCell(attributes: XmlAttributes): void {
    if (attributes['office:value-type'] !== undefined) this.#isFilled = true;
    const spanned = Math.max(
      countIn(attributes['table:number-rows-spanned']),
      countIn(attributes['table:number-columns-spanned']),
    );
    if (spanned === 1 || this.#row + 1 < this.#from) return;
    this.#found.firstMerged ||= this.#row + 1;
    this.#found.merged += 1;
  }
}

function isHidden(attributes: XmlAttributes): boolean {
  const visibility = attributes['table:visibility'];
  return visibility === 'collapse' || visibility === 'filter';
}

function countIn(repeated: string | undefined): number {
  const count = Number(repeated ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
