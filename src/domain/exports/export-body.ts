/** What the file of an export is made of. */
import type { CopyFormat } from '../../../db/copy-out.js';
import type { Sql } from '../../../db/sql.js';

/** Rows that Postgres writes as they are to stand in the file. */
export interface CopyBody {
  /** The same rows without what is written of them: to estimate their number. */
  readonly counted: Sql;
  readonly query: Sql;
  readonly format: CopyFormat;
  /** What stands above them. */
  readonly header: string;
}

/** Lines that are written here, for what a site has few of. */
export interface LinesBody {
  readonly header: string;
  /** One record each. */
  readonly lines: AsyncIterable<string>;
}

export type ExportBody = CopyBody | LinesBody;
