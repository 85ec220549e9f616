/** The endpoint that answers what is in an uploaded file. */
import { z } from 'zod';
import { requireBytes } from '../../../domain/files/download-file.js';
import { findFile } from '../../../domain/files/find-file.js';
import { inspectionSchema } from '../../../domain/inspection/model/inspection.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { type InspectionState, inspectionOf, startInspection } from '../../../domain/proposals/file-inspection.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import { type ApiResponse, defineRoute } from '../../define-route.js';
import { waitingClient } from '../../waiting-client.js';

const RETRY_AFTER_SECONDS = 1;

const inspected = z.object({ inspection: inspectionSchema.meta({ id: 'FileInspection' }) });

export const inspectFileRoute = defineRoute({
  method: 'GET',
  path: '/files/product/:id/inspection',
  operationId: 'inspectFile',
  family: 'files',
  tag: 'Files',
  summary: 'Inspect an uploaded file',
  description:
    'Answers how the file is written, what kind of file it is and what its columns are. The first call starts a job that reads the whole file; until it has ended, the answer is 202. Nothing of the catalog is changed.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: z.object({ id: z.string() }),
  prefersWait: true,
  refusals: {
    409: 'The file is not uploaded yet; or the inspection, for whose end the client has waited, has failed',
    410: 'The bytes of the file are no longer kept',
    422: 'The file cannot be inspected: it is empty, no table, or damaged',
  },
  responses: {
    200: { description: 'What is in the file', schema: inspected },
    202: {
      description: 'The file is being inspected; Location is the address of the job',
      schema: z.object({ jobId: z.string(), status: z.literal('IN_PROGRESS') }),
    },
  },
  async handle(request, services) {
    const { params, site, requestId } = request;
    const { db, producer, logger, jobEnds } = services;
    const file = await findFile(db, site.siteId, params.id);
    requireBytes(file);
    const state = await inspectionOf(db, file.id);
    const known = answerTo(state);
    if (known !== null) return known;
    let jobId = state.kind === 'running' ? state.jobId : '';
    if (state.kind === 'none') {
      let outboxEntries: OutboxEntry[] = [];
      ({ jobId, outboxEntries } = await db.transaction((trx) =>
        startInspection(trx, site, file, state.jobId, requestId),
      ));
      await enqueueEntries(producer, outboxEntries, logger);
    }
    if (await jobEnds.wait(jobId, waitingClient(request, services))) {
      await request.takeTurn();
      const after = await inspectionOf(db, file.id);
      const answer = answerTo(after);
      if (answer !== null) return answer;
      // Another call may have started it anew by now.
      if (after.kind === 'none') throw new DomainError('conflict', 'INSPECTION_FAILED', after.message);
    }
    const headers = { Location: `/jobs/${jobId}`, 'Retry-After': String(RETRY_AFTER_SECONDS) };
    return { status: 202, body: { jobId, status: 'IN_PROGRESS' }, headers };
  },
});

/** @returns null when the file has still to be inspected @throws DomainError unprocessable when it cannot be */
function answerTo(state: InspectionState): ApiResponse | null {
  if (state.kind === 'refused') throw new DomainError('unprocessable', state.reason, state.message);
  return state.kind === 'ready' ? { status: 200, body: { inspection: state.inspection } } : null;
}
