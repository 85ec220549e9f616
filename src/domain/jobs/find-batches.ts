/** Finds small jobs that can be executed together. */

import type { Db } from '../../../db/connection.js';
import type { StepPayload } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { groupedBy } from '../kernel/grouped-by.js';
import { isCurrentToken } from '../kernel/invariant.js';
import { type FrontRow, factsOf, loadFrontsOfSteps } from './begin/fronts-of-steps.js';
import type { BeginHooks } from './model/begin-hooks.js';
import type { FoundBatch } from './model/found-batch.js';
import { planStep } from './order/positions.js';
import { batchOf } from './order/turns.js';
import { suspicionOf } from './steps/suspicion.js';

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
  const fronts = groupedBy(rows, (row) => row.site_id);
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
