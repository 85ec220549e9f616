/** The query parameters of bulk requests. */
import { z } from 'zod';
import type { ImportOptions, WriteMode } from '../domain/imports/model/import-options.js';
import { callbackUrlSchema } from '../domain/jobs/model/job-type.js';

export const bulkQuery = z.strictObject({
  validateOnly: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: a dry run, which has the same result and writes nothing' }),
  onError: z
    .enum(['skip', 'abort'])
    .default('skip')
    .meta({ description: 'abort: if one row fails, nothing is written' }),
  callbackUrl: callbackUrlSchema.optional(),
});

export function bulkOptions(mode: WriteMode, query: z.output<typeof bulkQuery>): ImportOptions {
  const { onError, validateOnly, callbackUrl } = query;
  return { mode, onError, validateOnly: validateOnly === 'true', callbackUrl };
}
