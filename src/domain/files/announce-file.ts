/** Records a file that is about to be uploaded, with the job that will import it. */
import type { Knex } from 'knex';
import { File } from '../../../db/models/file.js';
import type { SiteContext } from '../access/site-context.js';
import { acceptFileJob, newJobId } from '../jobs/accept-job.js';
import type { AcceptedType } from '../jobs/job-type.js';
import { newId } from '../kernel/identifier.js';

interface FileAnnouncement<Options> {
  readonly name: string;
  /** What the file is to be imported as. */
  readonly type: string;
  /** The type of the job that imports it. */
  readonly jobType: AcceptedType<string, Options>;
  readonly locale: string | null;
  readonly options: Options;
  /** The time before which the upload must begin. */
  readonly expiresAt: Date;
  readonly requestId: string;
}

/** The file as announced; its job waits for it as AWAITING_UPLOAD. */
type AnnouncedFile = Pick<File, 'id' | 'type' | 'name' | 'locale' | 'created_at'> & { readonly job_id: string };

export async function announceFile<Options>(
  trx: Knex.Transaction,
  site: SiteContext,
  { name, type, jobType, locale, options, expiresAt, requestId }: FileAnnouncement<Options>,
): Promise<AnnouncedFile> {
  const jobId = newJobId();
  const file = { id: newId(), type, name, locale, job_id: jobId, created_at: new Date() };
  await File.query(trx).insert({
    ...file,
    site_id: site.siteId,
    status: 'AWAITING_UPLOAD',
    expires_at: expiresAt,
  });
  const { siteId, accountId, channel } = site;
  const job = { id: jobId, siteId, accountId, jobType, type, options, channel, requestId };
  await acceptFileJob(trx, job, file.id);
  return file;
}
