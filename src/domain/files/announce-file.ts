/** Records a file that is about to be uploaded, with the job that will import it. */
import type { Knex } from 'knex';
import { File } from '../../../db/models/file.js';
import type { SiteContext } from '../access/site-context.js';
import type { AcceptedType } from '../job-model/job-type.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';

interface FileAnnouncement<Options> {
  readonly name: string;
  /** What the file is to be imported as. */
  readonly type: string;
  /** The type of the job that imports it. */
  readonly jobType: AcceptedType<string, Options>;
  readonly locale: string | null;
  readonly options: Options;
  /** When it expires, unless it is uploaded. */
  readonly expiresAt: Date;
  /** When to look for its upload first. Null: the upload will be noticed anyway. */
  readonly lookAt?: Date | null;
  readonly requestId: string;
  /** How long it is held after its upload, for the client to say how it is to be imported. Default: not at all. */
  readonly holdHours?: number | null;
  /** How many files of the account may wait for their upload, in all its stages. */
  readonly mostOpen: number;
}

/** Uploads begin soon, or expire after minutes. */
const RETRY_AFTER_SECONDS = 30;

/** The file as announced; its job waits for it as AWAITING_UPLOAD. */
type AnnouncedFile = Pick<File, 'id' | 'type' | 'name' | 'locale' | 'created_at'> & { readonly job_id: string };

/** @throws DomainError busy when too many files of the account wait for their upload */
export async function announceFile<Options>(
  trx: Knex.Transaction,
  site: SiteContext,
  announcement: FileAnnouncement<Options>,
): Promise<AnnouncedFile> {
  const { name, type, jobType, locale, options, expiresAt, requestId, mostOpen } = announcement;
  const { lookAt = null, holdHours = null } = announcement;
  await requireFewOpen(trx, site.accountId, mostOpen);
  const jobId = newId();
  const file = { id: newId(), type, name, locale, job_id: jobId, created_at: new Date() };
  await File.query(trx).insert({
    ...file,
    site_id: site.siteId,
    account_id: site.accountId,
    status: 'AWAITING_UPLOAD',
    expires_at: expiresAt,
    look_at: lookAt,
    hold_hours: holdHours,
  });
  const { siteId, accountId, channel, traceparent, actor } = site;
  const job = { id: jobId, siteId, accountId, jobType, type, options, channel, requestId, traceparent, actor };
  await acceptJob(trx, job, { kind: 'upload', fileId: file.id });
  return file;
}

/** Concurrent announcements may go a few beyond the limit: it keeps abandoned files from piling up, and is no quota. */
async function requireFewOpen(trx: Knex.Transaction, accountId: string, most: number): Promise<void> {
  const { rows } = await trx.raw<{ rows: { open: number }[] }>(
    `SELECT count(*) AS open FROM (
       SELECT FROM file WHERE account_id = ? AND status = 'AWAITING_UPLOAD' LIMIT ?) AS waiting`,
    [accountId, most],
  );
  if ((rows[0]?.open ?? 0) < most) return;
  const message = `${most} announced files of this account wait for their upload, which is the limit; upload or cancel some of them, or wait until they expire`;
  throw new DomainError('busy', 'TOO_MANY_OPEN_UPLOADS', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    quota: { name: 'uploads', limit: most, left: 0 },
  });
}
