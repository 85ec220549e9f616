/** Compares a stage with another one, and carries over what was found. */
import type { Job, PromoteStageRequest } from './generated/types.js';
import { type WaitOptions, waitForJob } from './jobs.js';
import type { Operations } from './operations.js';

/** Which differences are carried over, and how. */
export interface PromoteOptions extends WaitOptions, Partial<Omit<PromoteStageRequest, 'compareJobId'>> {}

/** Compares definitions and items of the stage with those of another one, and waits for the end. @throws LongshoreError */
export async function compare(api: Operations, stage: string, options: WaitOptions = {}): Promise<Job> {
  const { onProgress: _, ...call } = options;
  const begun = await api.compareStages({ body: { with: stage } }, call);
  return waitForJob(api, 'jobId' in begun ? begun.jobId : begun.id, options);
}

/** Carries over what a comparison has found, and waits for the end, or for the wait for an approval. @throws LongshoreError */
export async function promote(api: Operations, compareJobId: string, options: PromoteOptions = {}): Promise<Job> {
  const { site, signal, onProgress, ...body } = options;
  const call = { ...(site === undefined ? {} : { site }), ...(signal === undefined ? {} : { signal }) };
  const begun = await api.promoteStage({ body: { ...body, compareJobId } }, call);
  return waitForJob(api, 'jobId' in begun ? begun.jobId : begun.id, { ...call, ...(onProgress && { onProgress }) });
}
