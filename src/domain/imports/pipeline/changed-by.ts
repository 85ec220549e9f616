/** What the rows of a job changed, to be recorded for it. */
import { NO_CHANGES } from '../../changes/model/item-change.js';
import type { ChangedSite } from '../../changes/record-changes.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { AppliedRows } from '../rows/row-applier.js';

export function changedBy(
  { id, site_id: siteId, actor, isDryRun }: Pick<ImportJob, 'id' | 'site_id' | 'actor' | 'isDryRun'>,
  { changes = NO_CHANGES }: AppliedRows,
): ChangedSite {
  return { siteId, jobId: id, actor, isPreview: isDryRun, changes };
}
