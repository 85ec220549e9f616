/** Finds small jobs that can be executed together, and whether the turn of one that is executed by itself has come. */
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { isCurrentToken } from '../kernel/invariant.js';
import type { BeginHooks } from './model/begin-hooks.js';
import type { LoadedJob } from './model/job-type.js';
import type { StepPayload } from './model/step-payload.js';
import { planStep } from './order/positions.js';
import { frontOf } from './order/site-order.js';
import { batchOf, type FrontEntry, mayBegin } from './order/turns.js';
import { suspicionOf } from './steps/suspicion.js';

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
  /** What to enqueue of jobs that have to be executed by themselves: large ones, and those whose turn has not come. */
  readonly alone: readonly OutboxEntry[];
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
  const rows = await loadFrontsOfSteps(db, steps, hooks);
  const fronts = new Map<number, FrontRow[]>();
  for (const row of rows) {
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
  const suspects = new Set(rows.flatMap(({ jobId, suspect }) => (suspect ? [jobId] : [])));
  const others = steps.flatMap((step) =>
    together.has(step.jobId) ? [] : [{ ...step, ...suspicionOf(suspects.has(step.jobId)) }],
  );
  const current = new Map(rows.map(({ jobId, dispatch }) => [jobId, dispatch]));
  const isCurrent = ({ jobId, dispatch }: StepPayload) =>
    isCurrentToken(`job ${jobId}`, dispatch, current.get(jobId) ?? dispatch);
  return { batches, alone: others.filter(isCurrent).map((step) => planStep(step, false)) };
}

/**
 * Finds a job that is executed by itself. Its `entries` are empty while others of its site come first.
 * @returns undefined when its plan step is done, or has another fencing token
 */
export async function findAlone<Job extends LoadedJob>(
  db: Db,
  step: StepPayload,
  hooks: BeginHooks<Job>,
): Promise<FoundBatch | undefined> {
  const front = await loadFrontsOfSteps(db, [step], hooks);
  const [first] = front;
  if (first === undefined) return undefined;
  const { own_position: position, shared, site_id: siteId, account_id: accountId } = first;
  const entry = front.find(({ jobId }) => jobId === step.jobId);
  if (entry !== undefined && !isCurrentToken(`job ${step.jobId}`, step.dispatch, entry.dispatch)) return undefined;
  const concurrent = shared && !hooks.runsAlone(first);
  const isDue = entry !== undefined && (entry.state === 'r' || mayBegin(front, { position, concurrent }));
  return { siteId, accountId, own: step, facts: factsOf(first), entries: isDue ? [entry] : [], concurrent };
}

/** The fronts of the sites of steps that are due, by site and in order. */
async function loadFrontsOfSteps<Job extends LoadedJob>(
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

interface FrontRow extends FrontEntry {
  readonly own_id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly own_position: number;
  /** Whether it was accepted as concurrent. */
  readonly shared: boolean;
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
  const { site_id: siteId, account_id: accountId, jobId, dispatch } = found;
  const own = { jobId, dispatch };
  const concurrent = entries.every((entry) => entry.concurrent);
  return { siteId, accountId, own, facts: factsOf(found), entries, concurrent };
}

/** What the hooks' `besides` has selected. */
function factsOf(row: FrontRow): object {
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
