/** The body of an export: where the rows of its file come from. */
import type { CopyFormat } from '../../../../db/copy-out.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { Sql } from '../../../../db/sql.js';
import type { CsvQuote } from '../../formats/csv/csv-quote.js';
import type { CsvEscape } from '../../formats/csv/escaped-quotes.js';
import type { ParquetColumn } from '../../formats/parquet/parquet-column.js';
import type { TextEncoding } from '../../formats/text/encoding-names.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import type { WorkbookColumn } from './workbook-column.js';

interface Queried {
  /** The same rows without the written columns, to estimate how many there are. */
  readonly counted: Sql;
  readonly query: Sql;
}

/** Rows that Postgres writes exactly as they appear in the file. */
export interface CopyBody extends Queried {
  readonly format: CopyFormat;
  /** The text above the rows. */
  readonly head: string;
}

/** Rows that Postgres writes, and that are converted to cells of a workbook. */
export interface WorkbookBody extends Queried {
  readonly columns: readonly WorkbookColumn[];
}

/** Rows that Postgres writes, and that become columns of a Parquet file. */
export interface ColumnsBody extends Queried {
  readonly parquet: readonly ParquetColumn[];
}

/** Rows that Postgres writes, and that are converted to the form of a profile. */
export interface MappedBody extends Queried {
  readonly rows: MappedRows;
}

/** Records that are built in this process, and converted to the form of a profile. */
export interface MappedRecordsBody {
  readonly rows: MappedRows;
  readonly batches: AsyncIterable<readonly (readonly string[])[]>;
}

/** Converts the rows of an export to those of somebody's own file. */
export interface MappedRows {
  readonly header: readonly string[];
  readonly format: MappedFormat;
  /** @param cells as Postgres has written them; null is no value @returns the rows of the file, of which there are none when it is left out */
  write(cells: readonly (string | null)[]): readonly (readonly string[])[];
  /** How many rows of ours were written. */
  readonly count: number;
  /** What could not be written; null: nothing. */
  warnings(): readonly ErrorSummaryLine[] | null;
}

/** How the file is written. */
export interface MappedFormat {
  readonly encoding: TextEncoding;
  /** Undefined: it is detected from the header, when the file is read. */
  readonly delimiter: string | undefined;
  readonly quote: CsvQuote;
  /** What stands before a quote within a cell; undefined: such a quote is doubled. */
  readonly escape: CsvEscape | undefined;
  readonly headerRow: number;
  /** Rows after the header, and at the end, that are no items. */
  readonly skipFirst: number;
  readonly skipLast: number;
  readonly sheet: string | undefined;
}

/** Records that are built in this process: attributes and categories, of which a site has few. */
export interface RecordsBody {
  readonly header: readonly string[];
  readonly records: AsyncIterable<readonly string[]>;
  /** The cells of a record in a workbook, where numbers are numbers; absent: all are texts. */
  readonly cellsOf?: (record: readonly string[]) => readonly Cell[];
}

/** The same records as JSON Lines. */
export interface LinesBody {
  readonly lines: AsyncIterable<string>;
}
