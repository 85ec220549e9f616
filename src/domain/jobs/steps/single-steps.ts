/** The steps of jobs that consist of a single step, and have no position in the ordering queue of their site. */
import type { JobStep } from '../../../../db/models/job.js';

export const SINGLE_STEPS = ['export', 'replay', 'inspect', 'feed'] as const satisfies readonly JobStep[];
export type SingleStep = (typeof SINGLE_STEPS)[number];

export function isSingleStep(step: JobStep): step is SingleStep {
  return (SINGLE_STEPS as readonly JobStep[]).includes(step);
}
