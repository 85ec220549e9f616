/** Creates the row applier of a job whose rows a client has sent. The header is resolved for each applier. */
import type { Db } from '../../../../db/connection.js';
import { presentSnapshot } from '../../catalog/definition-snapshot.js';
import { attributeApplier } from '../attributes/attribute-applier.js';
import { attributeCellNotes } from '../attributes/note-attribute-cells.js';
import { categoryApplier } from '../categories/category-applier.js';
import { loadRules } from '../items/load-rules.js';
import { statusApplier } from '../items/status-applier.js';
import type { ImportJob } from '../model/import-jobs.js';
import { notingRows } from '../pipeline/noting-rows.js';
import type { RowApplier } from '../rows/row-applier.js';
import { deletionApplier } from './deletion-applier.js';
import { loadItemApplier } from './load-item-applier.js';
import { namingSources } from './source-names.js';

/** What creates the applier of a job's rows. Steps of imports are given it: see rows-of-jobs.ts. */
export type LoadApplier = typeof loadApplier;

/**
 * @param version the version of the definitions that the job uses
 * @param headerCells the header found by the plan step; null for JSON, and while planning
 */
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
    case 'item':
      return job.type === 'ITEM_BULK_DELETE' ? deletionApplier(job) : loadItemApplier(db, job, version, headerCells);
  }
}
