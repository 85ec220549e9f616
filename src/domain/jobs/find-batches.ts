/** Finds small jobs that can be executed together. */
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { BeginHooks } from './begin-job.js';
import type { LoadedJob } from './model/job-type.js';
import { type StepPayload, suspicionOf } from './model/step-payload.js';
import { frontOf } from './order/site-order.js';
import { batchOf, type FrontEntry } from './order/turns.js';

/** Jobs of one site in a batch, and the rows of all of them: a batch holds a site for a tenth of a second or so. */
const MAX_JOBS = 100;

/** The jobs of one site that may be executed together, as they were seen before anything is locked. */
export interface FoundBatch {
  readonly siteId: number;
  readonly accountId: string;
  /** The step that is due: its queue job ends with the batch. */
  readonly own: StepPayload;
  /** What `besides` selects. */
  readonly facts: object;
  readonly entries: readonly FrontEntry[];
  /** All of them may run beside other concurrent jobs. */
  readonly concurrent: boolean;
}

interface FoundBatches {
  readonly batches: readonly FoundBatch[];
  /** Jobs that have to be executed by themselves: large ones, and those whose turn has not come. */
  readonly alone: readonly StepPayload[];
}

/**
 * Finds the jobs that can be executed together with those whose plan steps are due. Steps whose fencing token is no
 * longer current are in neither list.
 */
export async function findBatches<Job extends LoadedJob>(
  db: Db,
  steps: readonly StepPayload[],
  hooks: BeginHooks<Job>,
): Promise<FoundBatches> {
  // The facts of `besides` are those of the site: they are found once, and not for each job of the front.
  const result = await prepared<{ rows: FrontRow[] }>(
    db,
    `WITH own AS MATERIALIZED (
       SELECT DISTINCT ON (job.site_id) job.id AS own_id, job.site_id, job.account_id, ${hooks.besides}
       FROM unnest(:ids::text[]) AS given (id)
       CROSS JOIN LATERAL (
         SELECT * FROM job WHERE id = given.id COLLATE "C" AND step = 'plan' AND completed_at IS NULL AND started_at IS NULL
         LIMIT 1) AS job
       ORDER BY job.site_id, job.line_no
     )
     SELECT own.*, front.* FROM own CROSS JOIN LATERAL (${frontOf('own.site_id', MAX_JOBS)}) AS front
     ORDER BY own.site_id, front.position`,
    { ids: steps.map(({ jobId }) => jobId) },
  );
  const fronts = new Map<number, typeof result.rows>();
  for (const row of result.rows) {
    const front = fronts.get(row.site_id);
    if (front === undefined) fronts.set(row.site_id, [row]);
    else front.push(row);
  }
  const tokens = new Map(steps.map(({ jobId, dispatch }) => [jobId, dispatch]));
  const batches: FoundBatch[] = [];
  const together = new Set<string>();
  for (const front of fronts.values()) {
    const batch = batchOfFront(front, tokens, hooks);
    if (batch === null) continue;
    batches.push(batch);
    for (const { jobId } of batch.entries) together.add(jobId);
  }
  const suspects = new Set(result.rows.flatMap(({ jobId, suspect }) => (suspect ? [jobId] : [])));
  const others = steps.flatMap((step) =>
    together.has(step.jobId) ? [] : [{ ...step, ...suspicionOf(suspects.has(step.jobId)) }],
  );
  const current = new Map(result.rows.map(({ jobId, dispatch }) => [jobId, dispatch]));
  const isCurrent = ({ jobId, dispatch }: StepPayload) =>
    isCurrentToken(`job ${jobId}`, dispatch, current.get(jobId) ?? dispatch);
  return { batches, alone: others.filter(isCurrent) };
}

interface FrontRow extends FrontEntry {
  readonly own_id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly suspect: boolean;
}

/** @param front rows of one site, in order */
function batchOfFront<Job extends LoadedJob>(
  front: readonly FrontRow[],
  tokens: ReadonlyMap<string, number>,
  hooks: BeginHooks<Job>,
): FoundBatch | null {
  const found = front.find((entry) => entry.jobId === entry.own_id);
  const held = found === undefined ? undefined : tokens.get(found.jobId);
  if (found === undefined || held === undefined || !found.batchable) return null;
  if (!isCurrentToken(`job ${found.jobId}`, held, found.dispatch)) return null;
  const alone = hooks.runsAlone(found);
  const entries = batchOf(
    front.map(({ position, jobId, state, concurrent, batchable, dispatch }) => ({
      ...{ position, jobId, state, batchable, dispatch },
      concurrent: concurrent && !alone,
    })),
    found.position,
  );
  if (entries.length === 0) return null;
  const {
    own_id: _,
    suspect: __,
    site_id: siteId,
    account_id: accountId,
    position,
    jobId,
    state,
    concurrent,
    batchable,
    dispatch,
    ...facts
  } = found;
  const own = { jobId, dispatch };
  return { siteId, accountId, own, facts, entries, concurrent: entries.every((entry) => entry.concurrent) };
}
