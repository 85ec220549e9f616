/** What the file of an export is made of. */
import type { CopyFormat } from '../../../../db/copy-out.js';
import type { Sql } from '../../../../db/sql.js';
import type { WorkbookColumn } from '../items/item-xlsx.js';

interface Queried {
  /** The same rows without what is written of them: to estimate their number. */
  readonly counted: Sql;
  readonly query: Sql;
}

/** Rows that Postgres writes as they are to stand in the file. */
export interface CopyBody extends Queried {
  readonly format: CopyFormat;
  /** What stands above them. */
  readonly head: string;
}

/** Rows that Postgres writes, for a workbook. */
export interface WorkbookBody extends Queried {
  readonly columns: readonly WorkbookColumn[];
}

/** Records that are made here, of what a site has few of. */
export interface RecordsBody {
  readonly header: readonly string[];
  readonly records: AsyncIterable<readonly string[]>;
}

/** The same as JSON Lines. */
export interface LinesBody {
  readonly lines: AsyncIterable<string>;
}

export type ExportBody = CopyBody | WorkbookBody | RecordsBody | LinesBody;
