/** How a file is read that is inspected. */

/** Which rows of a file are read, and how it is written. What is left out is found out, or as the announcement says. */
export interface FileReading {
  /** Of a workbook. Default: the first with values that is not hidden. */
  readonly sheet?: string;
  /** Of JSON and XML: `catalog/product`. Default: the most plausible path. */
  readonly rowPath?: string;
  /** Of texts: `windows-1252`. */
  readonly encoding?: string;
  /** Of CSV and TSV: one character. */
  readonly delimiter?: string;
  /** Of tables: the row that names the columns, from 1. */
  readonly headerRow?: number;
  /** Of tables. 2: the row above `headerRow`, which is needed then, names groups of columns. */
  readonly headerRows?: number;
}
