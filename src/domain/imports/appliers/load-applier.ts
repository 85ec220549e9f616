/** Creates the row applier of a job. The header is resolved for each applier. */
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
import type { ReadRow, ReadRows } from '../items/item-batch.js';
import { loadRules } from '../items/load-rules.js';
import { type ReadAccess, refusingChanged } from '../items/refuse-changed.js';
import { statusApplier } from '../items/status-applier.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../model/row-applier.js';
import { notingRows } from '../pipeline/noting-rows.js';
import { definitionJudge, promoteJudge, resolvingNodes } from '../promotes/judge-promote.js';
import { REVERTED_ROWS, revertApplier, skusOfReverts } from '../reverts/revert-applier.js';
import { alternatePaths, namingArchiveRows } from '../site/archive-rows.js';
import { notingSkus } from '../snapshots/noting-skus.js';
import { namingSources } from './source-names.js';

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
    case 'revert': {
      const rules = await loadRules(db, job, version, {});
      await rules.filled.refresh(db, job.site_id);
      const { revertOf, validateOnly, approval } = job.options;
      const { id: jobId, site_id: siteId, account_id: accountId, channel, actor } = job;
      const own = { jobId, siteId, accountId, channel, actor, revertOf, isDryRun: validateOnly };
      const describesCreated = approval !== undefined;
      const applier = writingApproved(revertApplier({ ...own, describesCreated }, rules), job, REVERTED_ROWS);
      return validateOnly ? applier : emittingItemEvents(applier, job, skusOfReverts);
    }
    case 'site': {
      const { options, site_id: siteId, plan } = job;
      const rules = await loadRules(db, job, version, options);
      await rules.filled.refresh(db, siteId);
      const whole = { siteWasEmpty: plan?.siteWasEmpty === true, names: await alternatePaths(db, siteId) };
      const own = { siteId, channel: null, options, content: 'items', whole } as const;
      const applier = namingArchiveRows(writingApproved(itemApplier(own, rules, null), job, ITEMS));
      return job.isDryRun ? applier : emittingItemEvents(applier, job, ({ rows }) => rows.map(skuOf));
    }
    case 'promote': {
      const rules = await loadRules(db, job, version, {});
      await rules.filled.refresh(db, job.site_id);
      const { id: jobId, site_id: siteId, account_id: accountId, channel, actor } = job;
      const { validateOnly, sourceId, approval } = job.options;
      const stages = { sourceId, targetId: siteId };
      const judges = { judge: promoteJudge(stages), judgeDefinitions: definitionJudge(stages) };
      const judged = { ...judges, resolving: resolvingNodes(stages), describesCreated: approval !== undefined };
      const own = { jobId, siteId, accountId, channel, actor, revertOf: [], isDryRun: validateOnly, ...judged };
      const applier = writingApproved(revertApplier(own, rules), job, REVERTED_ROWS);
      return validateOnly ? applier : emittingItemEvents(applier, job, skusOfReverts);
    }
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
      const checked = writingApproved(refusingChanged(itemApplier(own, rules, headerCells), job, ITEMS), job, ITEMS);
      const applier = notingSkus(checked, job);
      // A dry run keeps nothing, so that it emits no events.
      return options.validateOnly ? applier : emittingItemEvents(applier, job, ({ rows }) => rows.map(skuOf));
    }
  }
}

function skuOf({ outcome }: ReadRow): string | undefined {
  return outcome.draft?.sku;
}

const ITEMS: ReadAccess<ReadRows, ReadRow> = {
  rowsOf: ({ rows }) => rows,
  withRows: (read, rows) => ({ ...read, rows }),
  skuOf: (row) => skuOf(row) ?? null,
  refused: ({ row, outcome: { key } }, problem) => ({
    row,
    outcome: { draft: null, problems: [problem], key, rest: null },
  }),
};

const DELETIONS: ReadAccess<ReadDeletion[], ReadDeletion> = {
  rowsOf: (read) => read,
  withRows: (_, rows) => rows,
  skuOf: ({ sku }) => (sku === '' ? null : sku),
  refused: (row, refused) => ({ ...row, refused }),
};
