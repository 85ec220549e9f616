/** The job type that takes back what earlier jobs have changed. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, retrySchema } from '../../../job-model/job-type.js';
import { IMPORT_TYPE } from './import-type.js';

const revertOptions = z
  .object({
    ...COMMON_OPTIONS,
    mode: z.literal('upsert'),
    onError: z.literal('skip'),
    validateOnly: z.boolean(),
    /** Whether the request asked for an approval; the rule of the site may do so too. */
    requireApproval: z.boolean().optional(),
    /** The jobs that are taken back, the newest first. */
    revertOf: z.array(z.string()).readonly(),
    /** Present if the job repeats rows of another revert. */
    retry: retrySchema.optional(),
  })
  .readonly();

/** Its rows are made of the change log when its turn has come: one for each item, in a file of its own. */
export const REVERT_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'revert',
  names: ['REVERT'],
  options: revertOptions,
  definitions: 'kept',
  isConcurrent: () => false,
  rowNaming: 'sku',
  result: 'items',
});
