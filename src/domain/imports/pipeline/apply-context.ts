/** Builds the context that a chunk is applied with, whether chunks are committed one by one or together. */
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { passOf } from '../../kernel/chunk-result.js';
import type { InputPlan, Reserved } from '../import-options.js';
import type { ApplyContext } from './row-applier.js';

/** @param guarded see ApplyContext */
export function contextOf(
  chunk: Pick<JobChunk, 'job_id' | 'duplicates' | 'wave' | 'outcomes'>,
  plan: Pick<InputPlan, 'siteWasEmpty'>,
  reserved: Reserved,
  guarded: boolean,
): ApplyContext {
  return {
    jobId: chunk.job_id,
    duplicates: new Map(chunk.duplicates ?? []),
    siteWasEmpty: plan.siteWasEmpty,
    reserved,
    pass: passOf(chunk.wave, chunk.outcomes ?? ''),
    guarded,
  };
}
