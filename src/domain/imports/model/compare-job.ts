/** The job type that compares a stage with another one. It needs no position in the ordering queue, because it reads one snapshot. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../../job-model/job-type.js';

const compareOptions = z
  .object({
    ...COMMON_OPTIONS,
    /** The stage that is compared with that of the job, and its site. */
    with: z.string(),
    sourceId: z.int(),
  })
  .readonly();

export const COMPARE_JOB = defineJobType({
  kind: 'compare',
  names: ['STAGE_COMPARE'],
  options: compareOptions,
  /** `attempt`: how many times comparing has begun. */
  plan: z.object({ attempt: z.int() }),
  // It is read as exports are: those who write exports compare, and the window of a site is of both.
  steps: ['export'],
  oneStep: {
    failed: 'we could not compare the stages; compare them again',
    cancelled: () => 'cancelled on request; what was found is not kept',
  },
  siteWindow: 2,
  isConcurrent: () => true,
  storedKeys: (id, plan) => differencesKeys(id, plan?.attempt ?? 0),
  rowNaming: null,
  result: 'items',
});

const TYPES = { [COMPARE_JOB.kind]: COMPARE_JOB };
export type CompareJob = JobOf<typeof TYPES>;
export const COMPARE_JOBS: JobTypes<CompareJob> = TYPES;

/** Where what was found is kept, as long as the job. Each attempt has a file of its own, because one that was assumed dead may go on. */
export function differencesKey(jobId: string, attempt: number): string {
  return `differences/${jobId}-${attempt}.jsonl`;
}

/** The keys of the first attempts. */
function differencesKeys(jobId: string, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, index) => differencesKey(jobId, index + 1));
}
