/** The lines of an error file in the form of its source: its cells as they are written, and behind them what is wrong. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { CsvQuote } from '../csv/csv-quote.js';
import { type CsvEscape, escapedCell } from '../csv/escaped-quotes.js';
import { parseCsvChunk } from '../csv/parse-csv-chunk.js';
import { isAddedColumn, JOB_COLUMN } from '../model/added-columns.js';
import { describeProblems } from './describe-problems.js';

export interface SourceLineForm {
  readonly header: readonly string[];
  readonly delimiter: string;
  readonly quote: CsvQuote;
  /** What stands before a quote within a cell of the file; the texts that are given have none. */
  readonly escape?: CsvEscape | undefined;
  /** Whether there is a column `_extra`: when any failed row has more or fewer cells than the header. */
  readonly withExtra: boolean;
  readonly job: string;
  /** Puts an apostrophe before texts that a spreadsheet would execute as formulas. */
  readonly escapeFormulas?: boolean | undefined;
}

/** The beginning of a line that a spreadsheet may execute; full-width signs are read as the usual ones by some. */
const FORMULA = /(^|[\r\n])(?=[-=+@\t\r＝＋－＠])/g;
const NUMERAL = /^[+-]?[0-9][0-9.,]*$/;
const LINE_ENDS = /[\r\n]+/g;

export class SourceLines {
  readonly #form: SourceLineForm;
  /** The columns that an earlier error file has not added. */
  readonly #own: readonly number[];

  constructor(form: SourceLineForm) {
    this.#form = form;
    this.#own = form.header.flatMap((name, index) => (isAddedColumn(name) ? [] : [index]));
  }

  /** @param text the header as it is written */
  header(text: string): string {
    const { header, withExtra } = this.#form;
    const added = ['_row', '_column', '_code', '_message', JOB_COLUMN, ...(withExtra ? ['_extra'] : [])];
    return this.#joined(this.#isPlain ? text : this.#record(this.#own.map((index) => header[index] ?? '')), added);
  }

  /** A failed row. @param text the row as it is written @param cells the same in cells */
  row(row: number, text: string, cells: readonly string[], problems: readonly RowProblem[]): string {
    const { header, withExtra, job, escapeFormulas = false } = this.#form;
    const { column, code, message } = describeProblems(problems);
    const added = [String(row), column, code, message, job];
    if (withExtra) added.push(this.#record(cells.slice(header.length)));
    const isWhole = this.#isPlain && cells.length === header.length && !escapeFormulas;
    return this.#joined(isWhole ? text : this.#record(this.#own.map((index) => cells[index] ?? '')), added);
  }

  /** The cells of a row as it is written. */
  cellsOf(text: string): readonly string[] {
    const { delimiter, quote } = this.#form;
    const [parsed] = parseCsvChunk(Buffer.from(`${text}\n`), { delimiter, quote, columns: -1, firstRow: 1 });
    return parsed?.cells ?? [];
  }

  /** A row above the header, or one that the profile leaves out. */
  other(text: string): string {
    return this.#form.escape === undefined ? text : this.#record(this.cellsOf(text));
  }

  /** Whether the rows can be kept as they are written. */
  get #isPlain(): boolean {
    return this.#form.escape === undefined && this.#own.length === this.#form.header.length;
  }

  #joined(own: string, added: readonly string[]): string {
    return `${own}${this.#form.delimiter}${this.#record(added)}`;
  }

  #record(cells: readonly string[]): string {
    return cells.map((cell) => this.#written(cell)).join(this.#form.delimiter);
  }

  #written(cell: string): string {
    const { delimiter, quote, escape: mark, escapeFormulas = false } = this.#form;
    const text = escapeFormulas && !NUMERAL.test(cell) ? cell.replace(FORMULA, "$1'") : cell;
    // Where nothing is quoted, no cell can hold these.
    if (quote === '') return text.replace(LINE_ENDS, ' ').replaceAll(delimiter, delimiter === ' ' ? '_' : ' ');
    if (mark !== undefined && (text.includes(mark) || text.includes(quote))) return escapedCell(text, quote);
    const isPlain = !text.includes(delimiter) && !text.includes(quote) && !/[\r\n]/.test(text);
    return isPlain ? text : `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
  }
}
