/** Accepts an export as a job. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import type { SiteContext } from '../../../domain/access/site-context.js';
import type { GivenSince } from '../../../domain/changes/resolve-since.js';
import { acceptExport } from '../../../domain/exports/accept-export.js';
import { requirePublishedFile } from '../../../domain/exports/published-files.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { requireScopes } from '../../authorize.js';
import type { ApiRequest, ApiResponse, ResponseSpec } from '../../define-route.js';
import { type AskedExport, keptRequest } from '../../export-request.js';
import { exportResultSchema, presentExportResult } from '../../presenters/present-export-result.js';
import type { ApiServices } from '../../services.js';
import { type RequestedExport, type WantedChanges, wantedChanges } from './specification.js';

/** What the bodies of all exports may have. */
interface CommonBody extends AskedExport {
  readonly callbackUrl?: string | null | undefined;
}

/** Answers 202, or with `Prefer: wait` 200 with the file's id if the job ends in time. */
export function acceptExportRequest(
  request: ApiRequest<unknown, unknown, CommonBody, true>,
  services: ApiServices,
  resolve: (db: Db, site: SiteContext) => Promise<RequestedExport>,
): Promise<ApiResponse> {
  const { site, requestId } = request;
  const { publishAs } = request.body;
  const callbackUrl = request.body.callbackUrl ?? undefined;
  // Who has the address needs no token.
  if (publishAs !== undefined) requireScopes(request.principal, ['feeds:write']);
  return acceptMadeJob(request, services, {
    callbackUrl,
    writesRows: false,
    present: presentExportResult,
    accept: async (trx, { id }) => {
      const { content, formatting, named } = await resolve(trx, site);
      const date = site.date?.toISOString() ?? null;
      const publishedFileId =
        publishAs === undefined ? undefined : await requirePublishedFile(trx, site.siteId, publishAs);
      const asked = keptRequest(request.body);
      const spec = { ...content, formatting, named, date, callbackUrl, publishedFileId, request: asked };
      return acceptExport(trx, { id, site, requestId, spec });
    },
  });
}

/** The same for an export that may be of what has changed since. @throws DomainError as resolveSince */
export async function acceptExportOfChanges(
  request: ApiRequest<unknown, unknown, CommonBody & { readonly since?: GivenSince | undefined }, true>,
  services: ApiServices,
  resolve: (db: Db, siteId: number, changes: WantedChanges) => Promise<RequestedExport>,
): Promise<ApiResponse> {
  const changes = await wantedChanges(services.db, request.site.siteId, request.body.since);
  return acceptExportRequest(request, services, (db, { siteId }) => resolve(db, siteId, changes));
}

/** Of those that may export what has changed. */
export const REFUSED_SINCE = {
  409: 'The job of `since` has not ended',
  410: 'Changes since then are no longer kept: export everything once',
} as const;

/** What the endpoints that export have in common. */
export const ofExports = {
  method: 'POST',
  family: 'files',
  tag: 'Exports',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
} as const;

export const exportResponses: Readonly<Record<number, ResponseSpec>> = {
  200: { description: 'With `Prefer: wait`: the export has ended', schema: exportResultSchema },
  202: {
    description: 'Accepted; Location is the address of the job',
    schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }).meta({ id: 'AcceptedExport' }),
  },
};
