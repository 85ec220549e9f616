/** Finds the rows of an upload: one streaming pass that checks it as a whole and cuts it into chunks. */
import type { SourceInput, SourcePlan } from './source-contract.js';

export type { ChunkPlan, SourceFormat, SourceInput, SourceLimits, SourcePlan, Standing } from './source-contract.js';
export { DEFAULT_LIMITS } from './source-contract.js';

/**
 * Plans an upload at constant memory.
 * @throws RejectedInput when the input cannot be used as a whole; the signal's reason when it is aborted.
 */
export async function planSource(_input: SourceInput): Promise<SourcePlan> {
  throw new Error('planSource is being written');
}
