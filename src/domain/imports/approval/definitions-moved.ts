/** Jobs that change definitions are approved as a whole: for the definitions that the site had when they were previewed. */
import type { Db } from '../../../../db/connection.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { approvalOf } from '../../job-model/approval.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';

/** Whether the job changes definitions, whose rows are not compared one by one. */
function changesDefinitions({ kind, options }: Pick<ImportJob, 'kind' | 'options'>): boolean {
  const { missing }: Partial<ImportOptions> = options;
  return kind === 'attribute' || kind === 'category' || kind === 'site' || missing !== undefined;
}

/** The version of the definitions to which an approval of the job is bound; empty: it is bound row by row. */
export async function boundDefinitions(
  db: Db,
  job: Pick<ImportJob, 'kind' | 'options' | 'site_id'>,
): Promise<{ readonly definitions?: number }> {
  return changesDefinitions(job) ? { definitions: await versionOf(db, job.site_id) } : {};
}

/** @throws RejectedInput when the job was approved for other definitions than those of today */
export async function requireSameDefinitions(
  db: Db,
  job: Pick<ImportJob, 'kind' | 'site_id' | 'options'>,
): Promise<void> {
  const { site_id: siteId, options } = job;
  // One that has created what its rows need has changed the version itself: a worker that takes over goes on with the rows.
  if (!changesDefinitions(job)) return;
  const approval = approvalOf(options);
  if (approval?.state !== 'approved' || approval.definitions === undefined) return;
  if (approval.definitions === (await versionOf(db, siteId))) return;
  throw new RejectedInput(
    'CHANGED_SINCE_PREVIEW',
    'attributes or categories of this stage were changed after the preview that was approved, and nothing was written; send it again to see what it would change now',
  );
}

async function versionOf(db: Db, siteId: number): Promise<number> {
  const site: { definitions_version: number } | undefined = await db('site')
    .where({ id: siteId })
    .first('definitions_version');
  return site?.definitions_version ?? 0;
}
