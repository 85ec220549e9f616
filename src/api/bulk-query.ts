/** The query parameters of bulk requests. */
import { z } from 'zod';
import type { JobOptions, WriteMode } from '../domain/jobs/job-options.js';

export const bulkQuery = z.strictObject({
  validateOnly: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'A dry run: the same result, and nothing is written' }),
  onError: z
    .enum(['skip', 'abort'])
    .default('skip')
    .meta({ description: 'abort: one row that fails, and nothing is written' }),
});

export function bulkOptions(mode: WriteMode, query: z.output<typeof bulkQuery>): JobOptions {
  return { mode, onError: query.onError, validateOnly: query.validateOnly === 'true' };
}
