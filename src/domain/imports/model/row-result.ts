/** What the API shows of a row of a job. */
import type { JobError } from '../../../../db/models/job-error.js';

export interface RowResult {
  /** Position of the row in the input, from 0, not counting blank lines. */
  readonly index: number;
  /** The row number that messages use. */
  readonly row: number;
  readonly key: string | null;
  /** One letter of OUTCOME. */
  readonly outcome: string;
  /** Id of the item, attribute or category; null when it failed or was not written. */
  readonly id: string | null;
  /** Set for categories only. */
  readonly nodeId?: number | null;
  readonly errors: readonly Pick<JobError, 'code' | 'col' | 'message' | 'value'>[];
}
