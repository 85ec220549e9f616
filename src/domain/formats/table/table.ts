/** The rows of a source of any format, each as the texts of its cells. */
import type { RowProblem } from '../../kernel/row-problem.js';
import type { CsvQuote } from '../csv/csv-quote.js';
import type { CsvEscape } from '../csv/escaped-quotes.js';
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
  /** What stands before a quote within a cell; without it, such a quote is doubled. */
  readonly escape?: CsvEscape | undefined;
  /** The number of the header's row in the source, from 1; without it, the first row that is not blank. */
  readonly headerRow?: number | undefined;
  /**
   * How many rows the header has, of which `headerRow` is the last. The upper one of two names groups of columns. Default: 1
   */
  readonly headerRows?: number | undefined;
  /** How many data rows to leave out after the header. */
  readonly skipFirst?: number | undefined;
  /** How many data rows to leave out at the end. */
  readonly skipLast?: number | undefined;
  /** The sheet of a workbook; without it, the first that is not hidden. */
  readonly sheet?: string | undefined;
  /** Where the rows of JSON or XML are: `catalog/product`, or `.` for the document itself; without it, it is detected. */
  readonly rowPath?: string | undefined;
  /** Which columns of JSON or XML there are. */
  readonly columns?: NestedColumns | undefined;
  /** Whether rows of JSON say how they are written. */
  readonly withText?: boolean | undefined;
}

/** Columns of JSON and XML, whose values are optional: that no row has one is no mistake of the file. */
interface NestedColumns {
  /** The paths of columns that there are in any case, behind the others; they are empty where no row has them. */
  readonly paths: readonly string[];
  /** Whether all other paths are columns as well; if not, the source is read once instead of twice. Default: true */
  readonly others?: boolean | undefined;
}

/** One data row. */
export interface TableRow {
  /**
   * The number of the row in the source, as spreadsheets and the errors of imports count: in JSON and XML from 1, in JSON
   * Lines the line.
   */
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
  /** The row as it is written, if that was asked for; only of JSON. */
  readonly text?: string | undefined;
}

/** What is known of a source before its rows are read. */
export interface TableHead {
  /** The header's cells as they are in the file; for JSON and XML, the paths of the columns. */
  readonly header: readonly string[];
  /** Of a header of two rows: the name of the group of each column; empty: it is in none. */
  readonly groups?: readonly string[] | undefined;
  /**
   * The rows above a header whose row was named, as they are written; those of a workbook with tabs between the cells. A
   * line `sep=;` is one of them.
   */
  readonly titleLines: readonly string[];
  readonly format: {
    readonly encoding: string;
    /** Null for workbooks, JSON and XML. */
    readonly delimiter: string | null;
    /** 0 for JSON and XML, which have none. */
    readonly headerRow: number;
    readonly sheet: string | null;
    /** The path of the rows of JSON and XML; null for tables. */
    readonly rowPath: string | null;
  };
}

/** Is called once, when the header was read. */
export type OnTableHead = (head: TableHead) => void;

/** The rows of a table in pieces; the first piece has none, and comes after the header. */
export type TableBatches = AsyncGenerator<readonly TableRow[], void, undefined>;

export interface OpenTable extends TableHead {
  /**
   * The names of the columns: trimmed, in Unicode's normal form C, and each other than the others in any case. A repeated
   * name is `Name (2)`, a blank one `Column 3`; one in a group is `Group – Name`.
   */
  readonly names: readonly string[];
  /**
   * The rows, in pieces of some hundred kilobytes. What has opened the table reads all of them, or calls `return`, which
   * closes the source.
   */
  readonly batches: TableBatches;
}
