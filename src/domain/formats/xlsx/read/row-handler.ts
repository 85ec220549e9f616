/** Builds the rows of a sheet from the events of the parser. */
import { columnName, MAX_CELL_CHARACTERS } from '../cell.js';
import { cellPosition, cellType, EMPTY_TEXT, ROWS_RANGE } from './cell-name.js';
import type { ElementHandler } from './element-reader.js';
import { CELL_TYPE, RawRow } from './raw-row.js';
import type { XmlAttributes } from './safe-xml-parser.js';
import { scanRow } from './scan-row.js';
import { cellTooLong, damaged, rowTooLong } from './workbook-problem.js';

/** Is called for each row of a sheet; the row object is reused afterwards. */
type OnRow = (row: RawRow) => void;

const DIGITS = /^[0-9]{1,7}$/;

/** The depth of elements within a row: the row has 1, its cells 2, their values 3. */
const ROW = 1;
const CELL = 2;
const VALUE = 3;

/** An escaped character of a cell is written as up to seven characters (`_x000D_`). */
const MAX_WRITTEN_CHARACTERS = 7 * MAX_CELL_CHARACTERS;
const MAX_ROW_CHARACTERS = 8 * 1024 * 1024;

export class RowHandler implements ElementHandler {
  readonly #row = new RawRow();
  /** Names of the open elements, by their depth. */
  readonly #path: string[] = [];
  #column = -1;
  #cellRow = 0;
  #type: number = CELL_TYPE.number;
  #style = 0;
  #value: string | null = null;
  #formula = false;
  /** The text of the formula as far as it tells whether it is `""`. */
  #formulaText = '';
  #inFormula = false;
  #collecting = false;
  /** The number of characters in the row's texts so far. */
  #characters = 0;

  readonly #onRow: OnRow;
  readonly #scans: boolean;

  /** @param scans false leaves every row to the parser. */
  constructor(onRow: OnRow, scans = true) {
    this.#onRow = onRow;
    this.#scans = scans;
  }

  scan(text: string, start: number, end: number): boolean {
    if (!this.#scans || !scanRow(text, start, end, this.#row)) return false;
    this.#onRow(this.#row);
    return true;
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#path.push(name);
    const depth = this.#path.length;
    if (depth === ROW) {
      this.#row.begin(rowNumber(attributes.r));
      this.#characters = 0;
    } else if (depth === CELL && this.#isWithin('row', 'c')) this.#openCell(attributes);
    else if (depth >= VALUE && this.#isWithin('row', 'c')) this.#openPart(attributes);
  }

  close(name: string): void {
    const depth = this.#path.length;
    const inCell = this.#isWithin('row', 'c');
    this.#path.pop();
    this.#collecting = false;
    this.#inFormula = false;
    if (depth === CELL && inCell) {
      const isResult = this.#formula && this.#formulaText !== EMPTY_TEXT;
      this.#row.add(this.#column, this.#cellRow, this.#type, this.#style, this.#value, isResult);
    } else if (depth === ROW && name === 'row') this.#onRow(this.#row);
  }

  text(text: string): void {
    if (this.#inFormula && this.#formulaText.length <= EMPTY_TEXT.length) {
      this.#formulaText += text.slice(0, EMPTY_TEXT.length + 1);
    }
    if (!this.#collecting) return;
    this.#value = (this.#value ?? '') + text;
    this.#characters += text.length;
    if (this.#value.length > MAX_WRITTEN_CHARACTERS) throw cellTooLong(this.#row.number, columnName(this.#column));
    if (this.#characters > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row.number);
  }

  #isWithin(row: string, cell: string): boolean {
    return this.#path[0] === row && this.#path[1] === cell;
  }

  #openCell({ r, t, s }: XmlAttributes): void {
    const position = r === undefined ? -1 : cellPosition(r);
    if (r !== undefined && position < 0) throw damaged(`it has a cell at "${r.slice(0, 20)}"`);
    this.#column = position < 0 ? -1 : Math.floor(position / ROWS_RANGE);
    this.#cellRow = position < 0 ? 0 : position % ROWS_RANGE;
    const type = cellType(t ?? 'n');
    if (type === undefined) throw damaged(`it has a cell of the unknown type "${t?.slice(0, 20)}"`);
    this.#type = type;
    if (s !== undefined && !DIGITS.test(s)) throw damaged(`it has a cell of the style "${s.slice(0, 20)}"`);
    this.#style = Number(s ?? 0);
    this.#value = null;
    this.#formula = false;
    this.#formulaText = '';
  }

  /**
   * Texts are in `v`; inline texts are in `is` > `t` and `is` > `r` > `t`, and never in `rPh`, which holds the
   * pronunciation.
   */
  #openPart({ t, ref }: XmlAttributes): void {
    const within = this.#path.slice(VALUE - 1).join('/');
    if (within === 'f') {
      this.#formula = true;
      this.#inFormula = true;
      if (t === 'array' && ref !== undefined) this.#openArea(ref);
    }
    const inline = this.#type === CELL_TYPE.inline;
    this.#collecting = inline ? within === 'is/t' || within === 'is/r/t' : within === 'v';
    if (this.#collecting) this.#value ??= '';
  }

  /** @param area the cells that an array formula fills: `C2:C5` or `C2` */
  #openArea(area: string): void {
    const [first = '', last = first] = area.split(':');
    const from = cellPosition(first);
    const to = cellPosition(last);
    if (from < 0 || to < 0) throw damaged(`it has a formula for the cells "${area.slice(0, 40)}"`);
    this.#row.arrays.push({
      from: Math.floor(from / ROWS_RANGE),
      to: Math.floor(to / ROWS_RANGE),
      last: to % ROWS_RANGE,
    });
  }
}

function rowNumber(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!DIGITS.test(text) || Number(text) === 0) throw damaged(`it has a row "${text.slice(0, 20)}"`);
  return Number(text);
}
