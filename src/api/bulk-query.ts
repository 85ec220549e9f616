/** The query parameters of bulk requests. */
import { z } from 'zod';
import { givenOptionsSchema } from '../domain/imports/given-options.js';
import type { ImportOptions, WriteMode } from '../domain/imports/model/import-options.js';
import { callbackUrlSchema } from '../domain/job-model/job-type.js';

/** Of a request for a dry run that is to wait for an approval. */
export const NOTHING_TO_APPROVE =
  'a dry run (validateOnly) writes nothing and needs no approval: leave one of them out';

const parameters = z.strictObject({
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
});

function refuseApprovalOfNothing({ value, issues }: z.core.ParsePayload<z.output<typeof parameters>>): void {
  if (value.validateOnly !== 'true' || value.requireApproval !== 'true') return;
  issues.push({ code: 'custom', input: value, path: ['requireApproval'], message: NOTHING_TO_APPROVE });
}

export const bulkQuery = parameters.check(refuseApprovalOfNothing);

const MAX_SNAPSHOT = 100_000;

const snapshotParameter = z
  .string()
  .max(MAX_SNAPSHOT)
  .transform((text, { addIssue }) => {
    try {
      return JSON.parse(text);
    } catch {
      addIssue({ code: 'custom', message: 'expected JSON, such as {"scope":"stage","missing":"delete"}' });
      return z.NEVER;
    }
  })
  .pipe(givenOptionsSchema.shape.snapshot.unwrap());

/** Of requests that may be the whole truth. */
export const wholeBulkQuery = parameters
  .extend({
    snapshot: snapshotParameter.optional().meta({
      description:
        'JSON, as the option `snapshot` of files: the request is the whole truth within a scope, and what it lacks is removed when its rows are applied',
    }),
  })
  .check(refuseApprovalOfNothing);

type BulkParameters = z.output<typeof parameters> & Pick<z.output<typeof wholeBulkQuery>, 'snapshot'>;

export function bulkOptions(mode: WriteMode, query: z.output<typeof bulkQuery> | BulkParameters): ImportOptions {
  const { onError, validateOnly, requireApproval, callbackUrl } = query;
  const asked = requireApproval === 'true' ? { requireApproval: true } : {};
  const whole = 'snapshot' in query && query.snapshot !== undefined ? { snapshot: query.snapshot } : {};
  return { mode, onError, validateOnly: validateOnly === 'true', ...asked, ...whole, callbackUrl };
}
