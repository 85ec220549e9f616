/** The job type that compares stages, and that carries over what was found. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, retrySchema } from '../../jobs/model/job-type.js';
import { IMPORT_TYPE } from './import-type.js';

/** Which differences are carried over. Absent members: all. */
const chosenDifferences = z
  .object({
    skus: z.array(z.string()).readonly().optional(),
    operations: z
      .array(z.enum(['CREATED', 'UPDATED', 'DELETED']))
      .readonly()
      .optional(),
    /** As the change log names them. */
    keys: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type ChosenDifferences = z.output<typeof chosenDifferences>;

const promoteOptions = z
  .object({
    ...COMMON_OPTIONS,
    mode: z.literal('upsert'),
    onError: z.literal('skip'),
    validateOnly: z.boolean(),
    requireApproval: z.boolean().optional(),
    /** The stage whose items are carried over, and its site. */
    with: z.string(),
    sourceId: z.int(),
    /** The comparison whose differences are carried over. Absent: it is one. */
    compareOf: z.string().optional(),
    chosen: chosenDifferences.optional(),
    /** Present if the job repeats rows of another one. */
    retry: retrySchema.optional(),
  })
  .readonly();
export type PromoteOptions = z.output<typeof promoteOptions>;

/**
 * Its rows are made when its turn has come, one for each item that differs: a comparison is a dry run of them all, and a
 * promotion writes those that were chosen.
 */
export const PROMOTE_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'promote',
  names: ['STAGE_COMPARE', 'STAGE_PROMOTE'],
  options: promoteOptions,
  definitions: 'kept',
  isConcurrent: () => false,
  rowNaming: 'sku',
  result: 'items',
});
