/** Accepts an export as a job: resolved against the catalog, committed, enqueued, and waited for if the client would. */
import type { Db } from '../../db/connection.js';
import { runOnce } from '../domain/access/accept-once.js';
import type { SiteContext } from '../domain/access/site-context.js';
import { acceptExport } from '../domain/exports/accept-export.js';
import type { ExportContent, ExportFormatting } from '../domain/exports/export-spec.js';
import { newJobId } from '../domain/jobs/accept-job.js';
import { findJob } from '../domain/jobs/read-job.js';
import { type Dispatch, sendDispatches } from '../queues/outbox.js';
import { checkTargets } from './check-targets.js';
import type { ApiServices } from './context.js';
import type { ApiRequest, ApiResponse } from './define-route.js';
import { goneOrStopping } from './gone-or-stopping.js';
import { presentExportResult } from './presenters/present-export-result.js';

export interface ExportOrder {
  readonly content: ExportContent;
  readonly formatting: ExportFormatting;
  /** How many records the request named; null: it did not name them one by one. */
  readonly named: number | null;
}

/** Answers 202 with the job's id; with `Prefer: wait`, 200 with the file's id if the job ends in time. */
export async function acceptExportRequest(
  request: ApiRequest<unknown, unknown, { readonly callbackUrl?: string | null | undefined }, true>,
  services: ApiServices,
  resolve: (db: Db, site: SiteContext) => Promise<ExportOrder>,
): Promise<ApiResponse> {
  const { site, idempotency, requestId } = request;
  const { db, producer, logger, jobEnds } = services;
  const callbackUrl = request.body.callbackUrl ?? undefined;
  await checkTargets(services.targets, { callbackUrl });
  let dispatches: Dispatch[] = [];
  const { answer } = await runOnce(db, idempotency, async (trx) => {
    const { content, formatting, named } = await resolve(trx, site);
    const spec = { ...content, formatting, named, date: site.date?.toISOString() ?? null, callbackUrl };
    const id = newJobId();
    dispatches = await acceptExport(trx, { id, site, requestId, spec });
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, jobId: id };
  });
  await sendDispatches(producer, dispatches, logger);
  const jobId = answer.jobId ?? '';
  if (await jobEnds.wait(jobId, request.preferWaitMs, goneOrStopping(request, services))) {
    return { status: 200, body: presentExportResult(await findJob(db, site.siteId, jobId)) };
  }
  return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
}
