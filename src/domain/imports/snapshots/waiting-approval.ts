/** The approval that the removals of a job wait for, because the brake has stopped them. */
import { type Approval, approvalOf } from '../../job-model/approval.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';

/** Who may approve it is decided like for a job that asks for an approval. */
export function waitingApproval({ options }: Pick<ImportJob, 'options'>): Approval {
  const { sentBy }: Partial<ImportOptions> = options;
  const client = approvalOf(options)?.client ?? sentBy;
  return {
    state: 'preview',
    only: 'removals',
    ...(client === undefined ? {} : { client }),
  };
}
