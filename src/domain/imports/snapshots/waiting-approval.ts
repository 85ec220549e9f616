/** The approval that the removals of a job wait for, because the brake has stopped them. */
import type { Knex } from 'knex';
import { type Approval, approvalOf } from '../../jobs/model/approval.js';
import { readApprovalRule } from '../../settings/approval-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';

/** Who may approve it is decided like for a job that asks for an approval. */
export async function waitingApproval(
  trx: Knex.Transaction,
  { site_id: siteId, options }: Pick<ImportJob, 'site_id' | 'options'>,
): Promise<Approval> {
  const { sentBy }: Partial<ImportOptions> = options;
  const { allowOwn } = await readApprovalRule(trx, siteId);
  const client = approvalOf(options)?.client ?? sentBy;
  return {
    state: 'preview',
    only: 'removals',
    ...(allowOwn ? { allowOwn } : {}),
    ...(client === undefined ? {} : { client }),
  };
}
