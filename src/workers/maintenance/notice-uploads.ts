/** Notices uploads that clients have put into the file store without telling us. */
import { lookForUploads } from '../../domain/files/direct-uploads.js';
import { afterEnd, send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** Looks for all that are due. @throws what a look has met, after the others */
export async function noticeUploads(services: WorkerServices): Promise<void> {
  const errors: unknown[] = [];
  for (let hasMore = true; hasMore; ) {
    const looked = await lookForUploads(services, services.config.uploadMaxBytes);
    await send(services, looked.outboxEntries);
    for (const jobId of looked.ended) await afterEnd(services, jobId);
    errors.push(...looked.errors);
    // A store that is away is asked again in the next pass, instead of for each file.
    hasMore = looked.hasMore && errors.length === 0;
  }
  if (errors.length > 0) throw errors[0];
}
