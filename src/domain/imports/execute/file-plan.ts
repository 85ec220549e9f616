/** What planning a file has found out, and what it needs. */
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { SourcePlan } from '../../formats/model/source-plan.js';

export interface FileJobServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** The maximum number of rows in a chunk. */
  readonly chunkRows: number;
}

export interface FilePlan extends SourcePlan {
  /** Index of the key column; -1 for JSON. */
  readonly keyColumn: number;
}
