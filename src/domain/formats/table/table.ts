/** The rows of a source of any format, each as the texts of its cells. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { CsvQuote } from '../csv/csv-quote.js';
import type { SourceFormat } from '../model/source-format.js';
import type { UploadInput } from '../model/source-input.js';

/** A source to open as a table. */
export interface TableInput extends UploadInput {
  readonly format: SourceFormat;
}

/** How the rows of a source are found. What is left out is decided as for a file without a profile. */
export interface TableOptions {
  readonly encoding?: string | undefined;
  /** One character. */
  readonly delimiter?: string | undefined;
  readonly quote?: CsvQuote | undefined;
  /** The number of the header's row in the source, from 1; without it, the first row that is not blank. */
  readonly headerRow?: number | undefined;
  /** How many data rows to leave out after the header. */
  readonly skipFirst?: number | undefined;
  /** How many data rows to leave out at the end. */
  readonly skipLast?: number | undefined;
  /** The sheet of a workbook; without it, the first that is not hidden. */
  readonly sheet?: string | undefined;
}

/** One data row. */
export interface TableRow {
  /** The number of the row in the source, as spreadsheets and the errors of imports count. */
  readonly row: number;
  /**
   * As many as the header has, unless there is a problem. In a row with a problem, they are what could be read.
   */
  readonly cells: readonly string[];
  /**
   * What each cell is, a character for each: `t` a text or empty, `n` a number in canonical digits with a point, `d` a
   * day and `i` an instant in ISO 8601, `b` TRUE or FALSE, `!` a marked cell. Null: all cells are texts, as in CSV.
   */
  readonly types: string | null;
  /** Why the row cannot be read: it has too many or too few cells, or a quote where none may be. */
  readonly problem: RowProblem | null;
}

/** What is known of a source before its rows are read. */
export interface TableHead {
  /** The header's cells as they are in the file. */
  readonly header: readonly string[];
  /**
   * The rows above a header whose row was named, as they are written; those of a workbook with tabs between the cells. A
   * line `sep=;` is one of them.
   */
  readonly titleLines: readonly string[];
  readonly format: {
    readonly encoding: string;
    /** Null for workbooks. */
    readonly delimiter: string | null;
    readonly headerRow: number;
    readonly sheet: string | null;
  };
}

/** Is called once, when the header was read. */
export type OnTableHead = (head: TableHead) => void;

/** The rows of a table in pieces; the first piece has none, and comes after the header. */
export type TableBatches = AsyncGenerator<readonly TableRow[], void, undefined>;

export interface OpenTable extends TableHead {
  /**
   * The names of the columns: trimmed, in Unicode's normal form C, and each other than the others in any case. A repeated
   * name is `Name (2)`, a blank one `Column 3`.
   */
  readonly names: readonly string[];
  /**
   * The rows, in pieces of some hundred kilobytes. What has opened the table reads all of them, or calls `return`, which
   * closes the source.
   */
  readonly batches: TableBatches;
}
