/** How the cells of a column of a workbook become texts, which is what imports read. */

export interface WorkbookColumn {
  /**
   * What a numeric cell means: `text` takes whole numbers only, for of others nobody knows how they were to be written;
   * `number` columns hold numbers; `other` ones take the number as the text that it is.
   */
  readonly kind: 'text' | 'number' | 'other';
  /** How numbers are written into the column. */
  readonly decimalSeparator: '.' | ',';
  /** Writes a date as the column's reader reads it; null: the column takes no dates. */
  readonly writeDate: ((canonical: string) => string) | null;
}

/** A column that takes texts. */
export const TEXT_COLUMN: WorkbookColumn = { kind: 'text', decimalSeparator: '.', writeDate: null };

/** Separates the cells of the normalised copy of a workbook, and tells it from every CSV file: none may be so separated. */
export const WORKBOOK_DELIMITER = '\u001f';
