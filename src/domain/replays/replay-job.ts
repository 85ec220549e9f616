/** The type of job that delivers failed events of one webhook definition once more. It has no place in the order of its site. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../jobs/job-type.js';

/** Deliveries of one definition, made from `since` until before `until`, that failed permanently or were cancelled. */
const replayRange = z
  .object({
    ...COMMON_OPTIONS,
    webhookId: z.string(),
    /** ISO 8601. */
    since: z.string(),
    /** Null: until the job begins. */
    until: z.string().nullable(),
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
    failed: 'we could not replay all; ask for the rest again',
    cancelled: (processed) => `cancelled on request; the ${processed} deliveries begun again before go on`,
  },
  isConcurrent: () => true,
  rowNaming: null,
  result: 'items',
});

const TYPES = { [REPLAY_JOB.kind]: REPLAY_JOB };
export type ReplayJob = JobOf<typeof TYPES>;
export const REPLAY_JOBS: JobTypes<ReplayJob> = TYPES;
