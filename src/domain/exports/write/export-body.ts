/** The body of an export: where the rows of its file come from. */
import type { CopyFormat } from '../../../../db/copy-out.js';
import type { Sql } from '../../../../db/sql.js';
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
