/** The job type that carries over what a comparison of stages has found. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, retrySchema } from '../../job-model/job-type.js';
import { IMPORT_TYPE } from './types/import-type.js';

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

/** Which definitions are carried over with the items: those that they need, all that differ, or none. */
export const CARRIED_DEFINITIONS = ['needed', 'all', 'none'] as const;
export type CarriedDefinition = (typeof CARRIED_DEFINITIONS)[number];

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
    /** The comparison whose differences are carried over. */
    compareOf: z.string(),
    chosen: chosenDifferences.optional(),
    /** Absent: none. */
    definitions: z.enum(CARRIED_DEFINITIONS).optional(),
    /** Present if the job repeats rows of another one. */
    retry: retrySchema.optional(),
  })
  .readonly();
export type PromoteOptions = z.output<typeof promoteOptions>;

/** Its rows are made when its turn has come: one for each definition and each item that was chosen. */
export const PROMOTE_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'promote',
  names: ['STAGE_PROMOTE'],
  options: promoteOptions,
  definitions: 'kept',
  isConcurrent: () => false,
  rowNaming: 'sku',
  result: 'items',
});
