/** Loads the fronts of the sites whose plan steps are due. */
import type { Db } from '../../../../db/connection.js';
import { prepared } from '../../../../db/prepared.js';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import type { BeginHooks } from '../model/begin-hooks.js';
import { frontOf } from '../order/site-order.js';
import type { FrontEntry } from '../order/turns.js';

/** Jobs of one site in a batch, and the rows of all of them: a batch holds a site for a tenth of a second or so. */
const MAX_JOBS = 100;

/** The fronts of the sites of steps that are due, by site and in order. */
export async function loadFrontsOfSteps<Job extends LoadedJob>(
  db: Db,
  steps: readonly StepPayload[],
  hooks: BeginHooks<Job>,
): Promise<FrontRow[]> {
  // The facts of `besides` are those of the site: they are found once, and not for each job of the front.
  const result = await prepared<{ rows: FrontRow[] }>(
    db,
    `WITH own AS MATERIALIZED (
       SELECT DISTINCT ON (job.site_id) job.id AS own_id, job.site_id, job.account_id,
         job.line_no AS own_position, job.shared, ${hooks.besides}
       FROM unnest(:ids::text[]) AS given (id)
       CROSS JOIN LATERAL (
         SELECT * FROM job WHERE id = given.id COLLATE "C" AND step = 'plan' AND completed_at IS NULL
         LIMIT 1) AS job
       ORDER BY job.site_id, job.line_no
     )
     SELECT own.*, front.* FROM own CROSS JOIN LATERAL (${frontOf('own.site_id', MAX_JOBS)}) AS front
     ORDER BY own.site_id, front.position`,
    { ids: steps.map(({ jobId }) => jobId) },
  );
  return result.rows;
}

export interface FrontRow extends FrontEntry {
  readonly own_id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly own_position: number;
  /** Whether it was accepted as concurrent. */
  readonly shared: boolean;
  readonly suspect: boolean;
}

/** What the hooks' `besides` has selected. */
export function factsOf(row: FrontRow): object {
  const {
    own_id: _id,
    own_position: _position,
    site_id: _site,
    account_id: _account,
    suspect: _suspect,
    shared: _shared,
    position: _place,
    jobId: _job,
    state: _state,
    concurrent: _concurrent,
    batchable: _batchable,
    dispatch: _token,
    ...facts
  } = row;
  return facts;
}
