/** Creates the row applier of a job that deletes items, with what depends on the job: its approval and its events. */
import { writingApproved } from '../approval/apply-approved.js';
import type { ReadDeletion } from '../deletions/apply-deletions.js';
import { itemDeletionApplier } from '../deletions/item-deletion-applier.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { type ReadAccess, refusingChanged } from '../items/refuse-changed.js';
import type { RowApplier } from '../rows/row-applier.js';
import type { ItemJob } from './load-item-applier.js';

export function deletionApplier(job: ItemJob): RowApplier {
  const deleting = itemDeletionApplier({ siteId: job.site_id, channel: job.channel });
  const applier = writingApproved(refusingChanged(deleting, job, DELETIONS), job, DELETIONS);
  return job.options.validateOnly ? applier : emittingItemEvents(applier, job, (read) => read.map(({ sku }) => sku));
}

const DELETIONS: ReadAccess<ReadDeletion[], ReadDeletion> = {
  rowsOf: (read) => read,
  withRows: (_, rows) => rows,
  skuOf: ({ sku }) => (sku === '' ? null : sku),
  refused: (row, refused) => ({ ...row, refused }),
};
