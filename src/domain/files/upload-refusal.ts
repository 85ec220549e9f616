/** Why a file does not accept an upload. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { DomainError } from '../kernel/errors.js';

/** The error for a file that is not waiting for its upload. */
export async function uploadRefusal(db: Db, fileId: string): Promise<DomainError> {
  const file = await File.query(db).findById(fileId);
  if (file?.status === 'UPLOADED') {
    const message = `this file was uploaded already, and an upload URL accepts one upload; its job is ${file.job_id}`;
    return new DomainError('conflict', 'FILE_ALREADY_UPLOADED', message);
  }
  const job = await Job.query(db).findById(file?.job_id ?? '');
  if (job?.status === 'CANCELLED') {
    const message = `the job ${job.id} of this file was cancelled; announce the file again to import it`;
    return new DomainError('conflict', 'JOB_CANCELLED', message);
  }
  return new DomainError(
    'gone',
    'UPLOAD_EXPIRED',
    'this file was not uploaded in time; announce it again to get a new URL',
  );
}
