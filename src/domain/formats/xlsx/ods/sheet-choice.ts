/** Chooses the sheet of an OpenDocument spreadsheet as its sheets come. */
import { hasSheetName, sheetNotFound } from '../read/sheet-names.js';
import { WORKBOOK_LIMITS } from '../read/workbook-limits.js';
import { tooComplex } from '../read/workbook-problem.js';

export class SheetChoice {
  /** The sheets so far. */
  readonly #names: string[] = [];
  readonly #wanted: string | undefined;
  /** Whether the first sheet is chosen because all are hidden. */
  #anySheet = false;

  /** @param wanted the name of the sheet; undefined chooses the first that is not hidden */
  constructor(wanted: string | undefined) {
    this.#wanted = wanted;
  }

  /** Whether the next sheet is the one. */
  isChosen(name: string, isHidden: boolean): boolean {
    this.#names.push(name);
    if (this.#names.length > WORKBOOK_LIMITS.maxSheets) {
      throw tooComplex(`The workbook has more than ${WORKBOOK_LIMITS.maxSheets} sheets`);
    }
    return this.#wanted === undefined ? this.#anySheet || !isHidden : hasSheetName(name, this.#wanted);
  }

  /**
   * To be called when no sheet was chosen: the sheets are read again if all were hidden.
   * @throws RejectedInput SHEET_NOT_FOUND
   */
  again(): void {
    if (this.#wanted !== undefined || this.#names.length === 0 || this.#anySheet) {
      throw sheetNotFound(this.#names, this.#wanted);
    }
    this.#anySheet = true;
    this.#names.length = 0;
  }
}
