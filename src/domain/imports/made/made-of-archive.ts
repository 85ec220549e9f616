/** The rows of a job that imports an archive: its items. What else it has is written before them. */
import type { Db } from '../../../../db/connection.js';
import { writingApproved } from '../approval/apply-approved.js';
import type { FileJobServices, ReadFile } from '../execute/file-plan.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { itemApplier } from '../items/item-applier.js';
import { ITEM_ROWS, skuOfRow } from '../items/item-rows.js';
import { loadRules } from '../items/load-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../rows/row-applier.js';
import { alternatePaths, namingArchiveRows } from '../site/archive-rows.js';
import { importArchive, openArchive, withItemsBesides } from '../site/import-archive.js';
import { PLANNED, planArchive, withoutNeedlessApproval } from '../site/plan-archive.js';
import type { ArchiveServices, BesideRows } from './rows-of-jobs.js';

export type SiteJob = Extract<ImportJob, { readonly kind: 'site' }>;

/** @throws RejectedInput; the signal's reason when it is aborted */
export async function planSite(
  services: FileJobServices,
  job: SiteJob,
  version: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const plan = await planArchive(services, job, signal);
  return { importing: await withoutNeedlessApproval(services.db, job), applier: PLANNED, version, plan };
}

export async function loadSiteApplier(db: Db, job: SiteJob, version: number): Promise<RowApplier> {
  const { options, site_id: siteId, plan } = job;
  const rules = await loadRules(db, job, version, options);
  await rules.filled.refresh(db, siteId);
  const whole = { siteWasEmpty: plan?.siteWasEmpty === true, names: await alternatePaths(db, siteId) };
  const own = { siteId, channel: null, options, content: 'items', whole } as const;
  const applier = namingArchiveRows(writingApproved(itemApplier(own, rules, null), job, ITEM_ROWS));
  return job.isDryRun ? applier : emittingItemEvents(applier, job, ({ rows }) => rows.map(skuOfRow));
}

/** @throws RejectedInput */
export async function openBesideRows({ db, fileStore, config }: ArchiveServices, job: SiteJob): Promise<BesideRows> {
  const archive = await openArchive(db, fileStore, job);
  return {
    write: (trx) => importArchive(trx, config, job, archive),
    after: (trx, made, counts) => withItemsBesides(trx, job, made, counts),
  };
}
