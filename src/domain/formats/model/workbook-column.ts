/** How the cells of a column of a workbook become texts, which is what imports read. */

export interface WorkbookColumn {
  /**
   * What a numeric cell means: `text` columns accept only whole numbers, because the intended text of others is
   * unknown; `number` columns hold numbers; `other` columns read the number as its digits.
   */
  readonly kind: 'text' | 'number' | 'other';
  /** How numbers are written into the column. */
  readonly decimalSeparator: '.' | ',';
  /** Writes a date as the column's reader reads it; null when the column accepts no dates. */
  readonly writeDate: ((canonical: string) => string) | null;
}

/** A column of texts. */
export const TEXT_COLUMN: WorkbookColumn = { kind: 'text', decimalSeparator: '.', writeDate: null };

/**
 * Separates the cells of the normalised copy of a workbook. No CSV file may have this delimiter, which identifies the
 * copy.
 */
export const WORKBOOK_DELIMITER = '\u001f';
