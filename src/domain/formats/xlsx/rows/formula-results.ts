/**
 * Finds the cells of formulas whose results are not in the workbook, so that none of them is read as an empty cell or as
 * 0. Programs that write workbooks without calculating leave the result out, or write an empty one or 0.
 */
import { CELL_TYPE, type RawRow } from '../read/raw-row.js';

export class FormulaResults {
  /** The columns of array formulas whose areas continue in further rows, with the last row of the area. */
  readonly #areas = new Map<number, number>();

  /**
   * @param isUncalculated whether the workbook asks to be calculated when it is opened, so that a result of 0 may be none
   * @param maxColumns the number of columns that are read
   */
  constructor(
    readonly isUncalculated: boolean,
    readonly maxColumns: number,
  ) {}

  /**
   * Takes away what stands in place of a missing result, and adds the cells that an array formula implies: each cell of a
   * formula without a text has no result.
   * @param number the number of the row; rows come in order
   */
  complete(raw: RawRow, number: number): void {
    if (!raw.hasFormulas && this.#areas.size === 0) return;
    for (const { from, to, last } of raw.arrays) {
      for (let column = from; column <= Math.min(to, this.maxColumns - 1); column += 1) this.#areas.set(column, last);
    }
    const absent = new Set(this.#areas.keys());
    let hasValues = false;
    for (let index = 0, column = -1; index < raw.count; index += 1) {
      const named = raw.columns[index] as number;
      column = named < 0 ? column + 1 : named;
      raw.columns[index] = column;
      if (absent.delete(column)) raw.formulas[index] = true;
      if (raw.formulas[index] === true && this.#isMissing(raw, index)) raw.texts[index] = null;
      else if (raw.texts[index] !== null && raw.texts[index] !== '') hasValues = true;
    }
    if (hasValues) for (const column of absent) raw.insertUncomputed(column);
    for (const [column, last] of this.#areas) if (last <= number) this.#areas.delete(column);
  }

  #isMissing(raw: RawRow, index: number): boolean {
    const text = raw.texts[index];
    const type = raw.types[index];
    if (text === null || text === undefined || text === '') return text !== '' || type !== CELL_TYPE.formulaText;
    return this.isUncalculated && type === CELL_TYPE.number && Number(text) === 0;
  }
}
