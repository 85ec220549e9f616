/** What there is to know of a file format: each has one file in this folder, and one line in `file-format.ts`. */
import type { XlsxColumn } from '../xlsx/create-xlsx-writer.js';

/** The options of an import that only some formats can heed. */
export const FORMAT_OPTIONS = ['delimiter', 'decimalSeparator', 'dateFormat', 'encoding', 'sheet'] as const;
export type FormatOption = (typeof FORMAT_OPTIONS)[number];

export interface FormatDefinition {
  /** The endings of names, without a dot, lower case; the first is the one that we write. */
  readonly extensions: readonly [string, ...string[]];
  readonly mediaType: string;
  /** Whether the upload is a text in some encoding, or a workbook, whose rows are made a table of. */
  readonly reads: 'text' | 'workbook';
  /** What the text is: records with a header, a JSON value a line, or one JSON array. */
  readonly rows: 'table' | 'lines' | 'array';
  /** Of a text's table when the options of the import name none; null: found out by the header. */
  readonly delimiter: string | null;
  /** The options of an import that have a meaning in it. JSON has dates in ISO 8601 and numbers of its own. */
  readonly heeds: readonly FormatOption[];
  /** How an export is written in it; null: there are none. */
  readonly exports: 'table' | 'lines' | 'workbook' | null;
  /**
   * Writes a template: the header that an import reads, for a person to fill in the rows; null: there are none.
   * @param sheetName for a workbook
   */
  readonly writeTemplate: ((columns: readonly XlsxColumn[], sheetName: string) => Promise<Buffer>) | null;
}
