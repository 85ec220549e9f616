/**
 * The job type that delivers events of one webhook definition again. Its jobs have no position in the ordering
 * queue of their site.
 */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../job-model/job-type.js';

/** What can have become of the events that are replayed. */
export const REPLAYABLE = ['FAILED', 'IGNORED', 'CANCELLED', 'DELIVERED'] as const;

/** Events of one definition, created in [`since`, `until`), by what became of them. */
const replayRange = z
  .object({
    ...COMMON_OPTIONS,
    webhookId: z.string(),
    /** ISO 8601. */
    since: z.string(),
    /** ISO 8601; null: the time at which the job begins. */
    until: z.string().nullable(),
    /** Jobs of earlier releases have none: they replay what failed permanently or was cancelled. */
    outcomes: z.array(z.enum(REPLAYABLE)).default(['FAILED', 'CANCELLED']),
    event: z.string().optional(),
    orderNumber: z.string().optional(),
  })
  .readonly();
export type ReplayRange = z.output<typeof replayRange>;

export const REPLAY_JOB = defineJobType({
  kind: 'replay',
  names: ['WEBHOOK_REPLAY'],
  options: replayRange,
  plan: z.never(),
  steps: ['replay'],
  oneStep: {
    failed: 'an error in the service stopped the replay; request a replay of the same range to continue it',
    cancelled: (processed) =>
      `cancelled on request; the ${processed} deliveries that were already requeued will still be attempted`,
  },
  isConcurrent: () => true,
  rowNaming: null,
  result: 'items',
});

const TYPES = { [REPLAY_JOB.kind]: REPLAY_JOB };
export type ReplayJob = JobOf<typeof TYPES>;
export const REPLAY_JOBS: JobTypes<ReplayJob> = TYPES;
