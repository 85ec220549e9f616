/** Jobs whose rows were applied, and whose removals alone had to be approved: which these are, and how a file goes on. */
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { forgetPreview } from '../../changes/record-changes.js';
import { approvalOf } from '../../job-model/approval.js';
import { lockJobStep } from '../../jobs/job-steps.js';
import { recordPlan } from '../../jobs/plan-chunks.js';
import type { ImportJob } from '../model/import-jobs.js';

/** Whether its removals were approved, and its rows were applied before. */
export function isOfRemovals({ options }: Pick<ImportJob, 'options'>): boolean {
  const approval = approvalOf(options);
  return approval?.only === 'removals' && approval.state === 'approved';
}

/** Whether the brake has stopped its removals, which wait for an approval when it is finished. */
export function waitsForRemovals({ options, reason, status }: ImportJob, brake: string): boolean {
  const approval = approvalOf(options);
  const isWaiting = approval?.only === 'removals' && approval.state === 'preview';
  return isWaiting && reason === brake && status === 'IN_PROGRESS';
}

/** Of a file: its chunks are done, and it goes on with the step that follows the last of them. */
export function planRemovals(db: Db, job: ImportJob, dispatch: number): Promise<OutboxEntry[]> {
  const { plan, total_count: totalRows } = job;
  return db.transaction(async (trx) => {
    if (plan === null || (await lockJobStep(trx, { jobId: job.id, dispatch }, 'plan')) === undefined) return [];
    await forgetPreview(trx, job.id);
    // As an atomic job, it has no chunk that comes before.
    return recordPlan(trx, { ...job, isAtomic: true }, plan, { chunks: [], totalRows: totalRows ?? 0 });
  });
}
