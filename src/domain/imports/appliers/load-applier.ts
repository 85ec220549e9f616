/** Creates the row applier of a job whose rows a client has sent. The header is resolved for each applier. */
import type { Db } from '../../../../db/connection.js';
import { presentSnapshot } from '../../catalog/definition-snapshot.js';
import { writingApproved } from '../approval/apply-approved.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { attributeCellNotes } from '../attributes/note-attribute-cells.js';
import { categoryApplier } from '../categories/category-applier.js';
import type { ReadDeletion } from '../deletions/apply-deletions.js';
import { itemDeletionApplier } from '../deletions/item-deletion-applier.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { itemApplier } from '../items/item-applier.js';
import { ITEM_ROWS, skuOfRow } from '../items/item-rows.js';
import { loadRules } from '../items/load-rules.js';
import { type ReadAccess, refusingChanged } from '../items/refuse-changed.js';
import { statusApplier } from '../items/status-applier.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../model/row-applier.js';
import { notingRows } from '../pipeline/noting-rows.js';
import { notingSkus } from '../snapshots/noting-skus.js';
import { namingSources } from './source-names.js';

/** As LoadApplier. */
export async function loadApplier(
  db: Db,
  job: ImportJob,
  version: number,
  headerCells: readonly string[] | null,
): Promise<RowApplier> {
  const applier = await ownApplier(db, job, version, headerCells);
  const sourceNames = job.plan !== null && 'sourceNames' in job.plan ? job.plan.sourceNames : undefined;
  return headerCells === null || sourceNames === undefined ? applier : namingSources(applier, headerCells, sourceNames);
}

async function ownApplier(
  db: Db,
  job: ImportJob,
  version: number,
  headerCells: readonly string[] | null,
): Promise<RowApplier> {
  switch (job.kind) {
    case 'attribute':
      return notingRows(
        attributeApplier(
          { siteId: job.site_id, actor: job.actor, options: job.options, fromFile: job.input_file_id !== null },
          headerCells,
        ),
        headerCells,
        attributeCellNotes(headerCells, job.options.decimalSeparator),
      );
    case 'category':
      return notingRows(
        categoryApplier({ siteId: job.site_id, actor: job.actor, options: job.options }, headerCells),
        headerCells,
      );
    case 'status':
      return statusApplier(job.site_id, await loadRules(db, job, await presentSnapshot(db, job.site_id), job.options));
    case 'revert':
    case 'promote':
    case 'site':
      throw new Error(`the rows of job ${job.id} are made, and none of them is a client's: see rows-of-jobs.ts`);
    case 'item': {
      const { options } = job;
      if (job.type === 'ITEM_BULK_DELETE') {
        const deleting = itemDeletionApplier({ siteId: job.site_id, channel: job.channel });
        const applier = writingApproved(refusingChanged(deleting, job, DELETIONS), job, DELETIONS);
        return options.validateOnly ? applier : emittingItemEvents(applier, job, (read) => read.map(({ sku }) => sku));
      }
      const rules = await loadRules(db, job, version, options);
      await rules.filled.refresh(db, job.site_id);
      const content = job.type === 'BUNDLE_IMPORT' ? 'bundles' : 'items';
      const own = { siteId: job.site_id, channel: job.channel, options, content } as const;
      const checked = writingApproved(
        refusingChanged(itemApplier(own, rules, headerCells), job, ITEM_ROWS),
        job,
        ITEM_ROWS,
      );
      const applier = notingSkus(checked, job);
      // A dry run keeps nothing, so that it emits no events.
      return options.validateOnly ? applier : emittingItemEvents(applier, job, ({ rows }) => rows.map(skuOfRow));
    }
  }
}

const DELETIONS: ReadAccess<ReadDeletion[], ReadDeletion> = {
  rowsOf: (read) => read,
  withRows: (_, rows) => rows,
  skuOf: ({ sku }) => (sku === '' ? null : sku),
  refused: (row, refused) => ({ ...row, refused }),
};
