/** Accepts an export as a job. */
import { z } from 'zod';
import type { Db } from '../../../../db/connection.js';
import { runOnce } from '../../../domain/access/accept-once.js';
import type { SiteContext } from '../../../domain/access/site-context.js';
import { acceptExport } from '../../../domain/exports/accept-export.js';
import { newJobId } from '../../../domain/jobs/accept-job.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { checkTargets } from '../../check-targets.js';
import type { ApiRequest, ApiResponse, ResponseSpec } from '../../define-route.js';
import { exportResultSchema, presentExportResult } from '../../presenters/present-export-result.js';
import type { ApiServices } from '../../services.js';
import { requireRoomFor } from '../../store-room.js';
import { waitingClient } from '../../waiting-client.js';
import type { RequestedExport } from './specification.js';

/** Commits and enqueues the job. Answers 202, or with `Prefer: wait` 200 with the file's id if the job ends in time. */
export async function acceptExportRequest(
  request: ApiRequest<unknown, unknown, { readonly callbackUrl?: string | null | undefined }, true>,
  services: ApiServices,
  resolve: (db: Db, site: SiteContext) => Promise<RequestedExport>,
): Promise<ApiResponse> {
  const { site, idempotency, requestId } = request;
  const { db, producer, logger, jobEnds } = services;
  const callbackUrl = request.body.callbackUrl ?? undefined;
  await checkTargets(services.targets, { callbackUrl });
  let outboxEntries: OutboxEntry[] = [];
  const { answer } = await runOnce(db, idempotency, async (trx) => {
    // Within: an answer that was given already is given again, and spends nothing.
    await requireRoomFor(request, services);
    const { content, formatting, named } = await resolve(trx, site);
    const spec = { ...content, formatting, named, date: site.date?.toISOString() ?? null, callbackUrl };
    const id = newJobId();
    await request.audit.record(trx, `job/${id}`);
    outboxEntries = await acceptExport(trx, { id, site, requestId, spec });
    return { status: 202, body: { jobId: id, status: 'SCHEDULED' }, jobId: id };
  });
  await enqueueEntries(producer, outboxEntries, logger);
  const jobId = answer.jobId ?? '';
  if (await jobEnds.wait(jobId, waitingClient(request, services))) {
    return { status: 200, body: presentExportResult(await findJob(db, site.siteId, jobId)) };
  }
  return { status: 202, body: answer.body, headers: { Location: `/jobs/${jobId}` } };
}

export const exportResponses: Readonly<Record<number, ResponseSpec>> = {
  200: { description: 'With `Prefer: wait`: the export has ended', schema: exportResultSchema },
  202: {
    description: 'Accepted; Location is the address of the job',
    schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }).meta({ id: 'AcceptedExport' }),
  },
};
