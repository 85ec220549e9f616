/** The endpoint that exports a whole stage as one archive. */
import { z } from 'zod';
import { callbackUrlSchema } from '../../../domain/job-model/job-type.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { requireScopes } from '../../authorize.js';
import { defineRoute } from '../../define-route.js';
import { formattingOf } from '../../export-body.js';
import { acceptExportRequest, exportResponses, ofExports } from '../exports/accept.js';

export const exportSiteRoute = defineRoute({
  ...ofExports,
  path: '/jobs/site/actions/export',
  operationId: 'exportSite',
  tag: 'Stages',
  summary: 'Export the whole stage as one archive',
  description:
    'A .zip with all definitions, items, import profiles, settings and webhook definitions (without secrets), from one snapshot, and a manifest with their checksums. It needs the scope `webhooks:read` as well. POST /files/product with the fileType SITE_IMPORT imports it into another stage.',
  body: {
    schema: z.strictObject({ callbackUrl: callbackUrlSchema.optional() }).prefault({}),
    required: false,
    example: {},
  },
  responses: exportResponses,
  refusals: { 403: 'The token lacks catalog:read, or webhooks:read for the webhook definitions' },
  handle: (request, services) => {
    requireScopes(request.principal, ['webhooks:read']);
    requireWholeStage(request.site);
    const content = { entity: 'site' } as const;
    const formatting = formattingOf({ format: 'JSONL', gzip: false });
    return acceptExportRequest({ ...request, body: request.body ?? {} }, services, async () => ({
      content,
      formatting,
      named: null,
    }));
  },
});

/** @throws DomainError invalid */
function requireWholeStage({ channel, date }: { readonly channel: number | null; readonly date: Date | null }): void {
  const given = channel !== null ? 'channel' : date !== null ? 'date' : undefined;
  if (given === undefined) return;
  const message = `x-site-context: the archive has the whole stage as it is now: leave out the ${given}`;
  throw new DomainError('invalid', 'REQUEST_INVALID', message, {
    problems: [{ path: `x-site-context.${given}`, code: 'FIELD_INVALID', message }],
  });
}
