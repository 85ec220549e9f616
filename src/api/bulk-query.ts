/** The query parameters of bulk requests. */
import { z } from 'zod';
import type { ImportOptions, WriteMode } from '../domain/imports/model/import-options.js';
import { callbackUrlSchema } from '../domain/jobs/model/job-type.js';

/** Of a request for a dry run that is to wait for an approval. */
export const NOTHING_TO_APPROVE =
  'a dry run (validateOnly) writes nothing and needs no approval: leave one of them out';

export const bulkQuery = z
  .strictObject({
    validateOnly: z
      .enum(['true', 'false'])
      .default('false')
      .meta({ description: 'true: a dry run, which has the same result and writes nothing' }),
    onError: z
      .enum(['skip', 'abort'])
      .default('skip')
      .meta({ description: 'abort: if one row fails, nothing is written' }),
    requireApproval: z
      .enum(['true', 'false'])
      .default('false')
      .meta({ description: 'true: the job is a dry run first, and waits as AWAITING_APPROVAL until it is approved' }),
    callbackUrl: callbackUrlSchema.optional(),
  })
  .check(({ value, issues }) => {
    if (value.validateOnly !== 'true' || value.requireApproval !== 'true') return;
    issues.push({ code: 'custom', input: value, path: ['requireApproval'], message: NOTHING_TO_APPROVE });
  });

export function bulkOptions(mode: WriteMode, query: z.output<typeof bulkQuery>): ImportOptions {
  const { onError, validateOnly, requireApproval, callbackUrl } = query;
  const asked = requireApproval === 'true' ? { requireApproval: true } : {};
  return { mode, onError, validateOnly: validateOnly === 'true', ...asked, callbackUrl };
}
