/** Creates the row applier of an import of items or bundles, with what depends on the job: its approval, its scope, its events. */
import type { Db } from '../../../../db/connection.js';
import { writingApproved } from '../approval/apply-approved.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { itemApplier } from '../items/item-applier.js';
import { ITEM_ROWS, skuOfRow } from '../items/item-rows.js';
import { loadRules } from '../items/load-rules.js';
import { refusingChanged } from '../items/refuse-changed.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../rows/row-applier.js';
import { notingSkus } from '../snapshots/noting-skus.js';

export type ItemJob = Extract<ImportJob, { readonly kind: 'item' }>;

/** As LoadApplier. */
export async function loadItemApplier(
  db: Db,
  job: ItemJob,
  version: number,
  headerCells: readonly string[] | null,
): Promise<RowApplier> {
  const { options } = job;
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
