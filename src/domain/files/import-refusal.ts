/** Why a file does not wait for its import. */
import type { Db } from '../../../db/connection.js';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { DomainError } from '../kernel/errors.js';

/** The error for a file of which actions/import is asked, and whose job is not AWAITING_PROFILE. */
export async function importRefusal(db: Db, fileId: string): Promise<DomainError> {
  const file = await File.query(db).findById(fileId);
  const job = await Job.query(db).findById(file?.job_id ?? '');
  const id = job?.id ?? '';
  if (file?.account_id == null) {
    return conflict(
      'FILE_NOT_HELD',
      `this file is of the type ${file?.type ?? ''}, and was written by a job: announce a file to import it`,
    );
  }
  if (job?.status === 'CANCELLED') {
    return conflict('JOB_CANCELLED', `the job ${id} of this file was cancelled; announce the file again to import it`);
  }
  if (job?.status === 'EXPIRED') {
    return new DomainError(
      'gone',
      'FILE_EXPIRED',
      `${job.status_message ?? 'the file has expired; announce it again'}`,
    );
  }
  if (file?.status === 'AWAITING_UPLOAD') {
    return conflict(
      'FILE_NOT_UPLOADED',
      'the file is not uploaded yet: put its bytes to the URL of its announcement first',
    );
  }
  if (file?.hold_hours == null) {
    const message = `this file was announced without "hold": true, so that its upload has started its import as job ${id}; announce it again with it`;
    return conflict('FILE_NOT_HELD', message);
  }
  const message = `this file was imported already, as job ${id}; announce it again to import it once more`;
  return conflict('FILE_ALREADY_IMPORTED', message);
}

function conflict(code: string, message: string): DomainError {
  return new DomainError('conflict', code, message);
}
