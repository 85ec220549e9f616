/** Records an export job, so that it is committed before the client learns that the job is accepted. */
import type { Db } from '../../../db/connection.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { acceptJob } from '../jobs/accept-job.js';
import { EXPORT_JOB, EXPORT_TYPES } from './model/export-job.js';
import type { ExportSpec } from './model/export-spec.js';

interface NewExport {
  readonly id: string;
  readonly site: SiteContext;
  readonly requestId: string;
  readonly spec: ExportSpec;
}

/** @returns what to enqueue once `trx` has committed */
export function acceptExport(trx: Db, { id, site, requestId, spec }: NewExport): Promise<OutboxEntry[]> {
  const { siteId, accountId, channel, traceparent, actor } = site;
  const identity = { id, siteId, accountId, channel, requestId, traceparent, actor };
  const job = { ...identity, jobType: EXPORT_JOB, type: EXPORT_TYPES[spec.entity], options: spec };
  return acceptJob(trx, job);
}
