/** Rows that say what items and definitions were before: those of reverts, and those of promotions, which have their form. */
import type { Db } from '../../../../db/connection.js';
import { writingApproved } from '../approval/apply-approved.js';
import type { FileJobServices, FilePlan, ReadFile } from '../execute/file-plan.js';
import { bytesKey } from '../execute/first-row.js';
import { chooseRetriedRows } from '../execute/retried-rows.js';
import { emittingItemEvents } from '../items/emit-item-events.js';
import { loadRules } from '../items/load-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import { definitionJudge, promoteJudge, resolvingNodes } from '../promotes/judge-promote.js';
import { planPromote } from '../promotes/plan-promote.js';
import { planRevert } from '../reverts/plan-revert.js';
import { REVERTED_ROWS, revertApplier, skusOfReverts } from '../reverts/revert-applier.js';
import type { RowApplier } from '../rows/row-applier.js';

export type ChangesJob = Extract<ImportJob, { readonly kind: 'revert' | 'promote' }>;

/** @throws RejectedInput; the signal's reason when it is aborted */
export async function planChanges(
  services: FileJobServices,
  job: ChangesJob,
  version: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const applier = await loadChangesApplier(services.db, job, version);
  const all = await rowsOf(services, job, signal);
  const plan = await chooseRetriedRows(services, job, all, await bytesKey(services.db, job, all));
  return { importing: job, applier, version, plan };
}

function rowsOf(services: FileJobServices, job: ChangesJob, signal: AbortSignal): Promise<FilePlan> {
  return job.kind === 'revert' ? planRevert(services, job, signal) : planPromote(services, job, signal);
}

export async function loadChangesApplier(db: Db, job: ChangesJob, version: number): Promise<RowApplier> {
  const rules = await loadRules(db, job, version, {});
  await rules.filled.refresh(db, job.site_id);
  const { id: jobId, site_id: siteId, account_id: accountId, channel, actor, options } = job;
  const own = { jobId, siteId, accountId, channel, actor, isDryRun: options.validateOnly, ...judgedBy(job) };
  const applier = writingApproved(
    revertApplier({ ...own, describesCreated: options.approval !== undefined }, rules),
    job,
    REVERTED_ROWS,
  );
  return options.validateOnly ? applier : emittingItemEvents(applier, job, skusOfReverts);
}

/** What decides whether a row is still to be applied: a revert asks the change log, a promotion what both stages hold. */
function judgedBy(job: ChangesJob) {
  if (job.kind === 'revert') return { revertOf: job.options.revertOf };
  const stages = { sourceId: job.options.sourceId, targetId: job.site_id };
  return {
    revertOf: [],
    ...{ judge: promoteJudge(stages), judgeDefinitions: definitionJudge(stages), resolving: resolvingNodes(stages) },
  };
}
