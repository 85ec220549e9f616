/** The endpoint that completes an upload which went to the file store itself. */
import { z } from 'zod';
import { keepDirectUpload } from '../../../domain/files/direct-uploads.js';
import { findFile } from '../../../domain/files/find-file.js';
import { uploadRefusal } from '../../../domain/files/upload-refusal.js';
import { JOB_TYPES } from '../../../domain/job-types.js';
import { followEnd } from '../../../domain/jobs/follow-end.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { enqueueEntries } from '../../../queues/outbox.js';
import { defineRoute } from '../../define-route.js';
import { presentUploaded, uploaded } from './uploaded.js';

export const completeUploadRoute = defineRoute({
  method: 'POST',
  path: '/files/product/:id/actions/complete',
  operationId: 'completeUpload',
  family: 'files',
  tag: 'Files',
  summary: 'Say that a file is uploaded',
  description:
    'Where files are uploaded to a URL of an S3 store, this starts the import at once; without it, the upload is noticed ' +
    'some time later. It may be repeated, and is not needed for uploads to a URL of the API.',
  auth: { scope: 'catalog:write', orProposing: true },
  siteContext: true,
  params: z.object({ id: z.string() }),
  refusals: {
    409: 'Nothing was uploaded yet, or the job was cancelled',
    410: 'The announcement has expired',
    413: 'The file is too large; its job is REJECTED',
  },
  responses: {
    200: { description: 'The file is complete, and its job is scheduled unless the file is held', schema: uploaded },
  },
  async handle({ params, site }, services) {
    const { db, producer, logger, config } = services;
    const file = await findFile(db, site.siteId, params.id);
    const { id, name, job_id: jobId } = file;
    if (file.status === 'UPLOADED' || jobId === null) return { status: 200, body: presentUploaded(file) };
    if (file.status !== 'AWAITING_UPLOAD') throw await uploadRefusal(db, id);
    const kept = await keepDirectUpload(services, { fileId: id, name, jobId }, config.uploadMaxBytes).catch(
      (error: unknown) => {
        // The upload has been noticed meanwhile, or the job was cancelled: the file says which.
        if (error instanceof DomainError) return { kind: 'absent' } as const;
        throw error;
      },
    );
    if (kept.kind === 'kept') await enqueueEntries(producer, kept.outboxEntries, logger);
    if (kept.kind === 'refused') {
      await enqueueEntries(producer, await followEnd(db, JOB_TYPES, jobId), logger);
      const message = `the file is larger than ${config.uploadMaxBytes} bytes; it was removed, and its job ${jobId} is REJECTED`;
      throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
    }
    const now = await findFile(db, site.siteId, id);
    if (now.status === 'UPLOADED') return { status: 200, body: presentUploaded(now) };
    if (now.status !== 'AWAITING_UPLOAD') throw await uploadRefusal(db, id);
    const message = `nothing was uploaded yet for the file ${id}; put its bytes to the URL of its announcement first`;
    throw new DomainError('conflict', 'FILE_NOT_UPLOADED', message);
  },
});
