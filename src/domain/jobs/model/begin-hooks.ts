/** What the job core needs of the feature whose jobs begin. */
import type { Knex } from 'knex';
import type { JobTypes, LoadedJob } from '../../job-model/job-type.js';

export interface BeginHooks<Job extends LoadedJob> {
  readonly types: JobTypes<Job>;
  /** SQL: what to select in addition to the job's columns. */
  readonly besides: string;
  /** Whether a job that was accepted as concurrent has to run exclusively after all. @param row with what `besides` selects */
  runsAlone(row: object): boolean;
  /**
   * Fixes the definitions that jobs use, each of another site.
   * @returns their version for each job, in order; 0 when it uses the current ones at each step
   */
  fixDefinitions(trx: Knex.Transaction, jobs: readonly Job[]): Promise<readonly number[]>;
}
