/** What planning a file has found out, and what it needs. */
import type { Db } from '../../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { LeftOutRows } from '../../formats/mapped/table-mapping.js';
import type { SourcePlan } from '../../formats/model/source-plan.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { InputPlan } from '../rows/input-plan.js';
import type { RowApplier } from '../rows/row-applier.js';

export interface FileJobServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** The maximum number of rows in a chunk. */
  readonly chunkRows: number;
}

export interface FilePlan extends Omit<SourcePlan, 'sourceForm'> {
  /** Index of the key column; -1 for JSON. */
  readonly keyColumn: number;
  /** For a file with a profile: what the source of each column is called in the file. */
  readonly sourceNames?: readonly string[] | undefined;
  readonly originals?: InputPlan['originals'];
  /** For JSON and XML: where its rows are, whether the profile says so or it was detected. */
  readonly rowPath?: string | undefined;
  /** The columns of the file that no rule of the profile names, if it warns of them. */
  readonly unmapped?: readonly string[] | undefined;
  /** The rows that the conditions of the profile have left out. */
  readonly leftOut?: readonly LeftOutRows[] | undefined;
  /** Of a revert: what the jobs have changed that it leaves. */
  readonly stays?: readonly ErrorSummaryLine[] | undefined;
  /** The id in the column `_job` of a file with a profile, whose plan does not have this column. */
  readonly failedJobId?: string | undefined;
}

/** A file that was read, with the options that its rows are imported with. */
export interface ReadFile {
  readonly importing: ImportJob;
  readonly applier: Pick<RowApplier, 'ordered'> & Partial<RowApplier>;
  /** The version of the definitions that the applier goes by. */
  readonly version: number;
  readonly plan: FilePlan;
}
