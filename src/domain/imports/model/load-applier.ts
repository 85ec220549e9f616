/** What creates the applier of a job's rows. Steps of imports are given it: see rows-of-jobs.ts. */
import type { Db } from '../../../../db/connection.js';
import type { ImportJob } from './import-jobs.js';
import type { RowApplier } from './row-applier.js';

/**
 * @param version the version of the definitions that the job uses
 * @param headerCells the header found by the plan step; null for JSON, and while planning
 */
export type LoadApplier = (
  db: Db,
  job: ImportJob,
  version: number,
  headerCells: readonly string[] | null,
) => Promise<RowApplier>;
