/** Applies the rows of one request, in the transaction that has begun its job, and ends the job. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { definitionChangesOf, recordDefinitionPreview } from '../../changes/definition-changes.js';
import { forgetPreview, recordChanges } from '../../changes/record-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { approvalOf } from '../../job-model/approval.js';
import { endJob } from '../../jobs/end-job.js';
import type { BegunJob } from '../../jobs/model/begun-job.js';
import { type ChunkResult, countOutcomes, OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { LoadApplier } from '../appliers/load-applier.js';
import { requireSameDefinitions } from '../approval/definitions-moved.js';
import { endOfPreview, isRejectedPreview, previewOf } from '../approval/end-of-preview.js';
import { recordPreviewRows } from '../approval/preview-rows.js';
import { siteIsEmpty } from '../items/resolve/stored-item.js';
import type { ImportJob } from '../model/import-jobs.js';
import { importsAtomically } from '../model/import-options.js';
import { applyInput } from '../pipeline/apply-input.js';
import { changedBy } from '../pipeline/changed-by.js';
import { abortedEnd, dryRunEnd, endOf } from '../pipeline/row-ends.js';
import type { RowReaderName } from '../rows/row-applier.js';
import { isOfRemovals } from '../snapshots/approved-alone.js';
import { runRemovals } from '../snapshots/remove-alone.js';
import { endWithRemoval, isStopped, removeWithRows, withReport } from '../snapshots/remove-with-rows.js';
import { requireSnapshotOfJob } from '../snapshots/require-snapshot-of-job.js';

/** What the rows of a request are applied with. */
export interface InlineServices {
  readonly db: Db;
  readonly loadApplier: LoadApplier;
  readonly reader: RowReaderName;
  readonly signal: AbortSignal;
}

/**
 * Runs the job to its end. The transaction has begun the job and has locked its row.
 * @returns what to enqueue once it has committed, in addition to what the end of the job enqueues
 */
export async function runInlineJob(
  trx: Knex.Transaction,
  { job, input }: Pick<BegunJob<ImportJob>, 'job' | 'input'>,
  definitionsVersion: number,
  { db, loadApplier, reader, signal }: InlineServices,
): Promise<readonly OutboxEntry[]> {
  const { options } = job;
  const rowCount = job.total_count ?? 0;
  if (isOfRemovals(job)) return runRemovals(trx, job, { db, version: definitionsVersion, signal });
  const refusal = await refusalOf(trx, job, definitionsVersion);
  if (refusal !== null) {
    const result = { outcomes: new Array<Outcome>(rowCount).fill(OUTCOME.deferred), failures: [] };
    const { reason, message: statusMessage } = refusal;
    await endJob(trx, job.id, {
      status: 'REJECTED',
      reason,
      statusMessage,
      applied: { rowCount, result },
      definitionsVersion,
    });
    return [];
  }
  // What was approved takes the place of what was previewed.
  if (approvalOf(options)?.state === 'approved') await forgetPreview(trx, job.id);
  const applier = await loadApplier(trx, job, definitionsVersion, null);
  if (importsAtomically(options)) await trx.raw('SAVEPOINT before_job');
  const siteWasEmpty = job.kind === 'item' && (await siteIsEmpty(trx, job.site_id));
  const result = await applyInput(trx, applier, { job, input }, siteWasEmpty, reader);
  const counts = countOutcomes(result.outcomes);
  const approval = previewOf(job);
  const failing = options.validateOnly
    ? isRejectedPreview(job, counts.failed)
    : options.onError === 'abort' && counts.failed > 0;
  if (!failing && !options.validateOnly) await recordChanges(trx, [changedBy(job, result)]);
  const removing = { db, version: definitionsVersion, signal };
  const removal = failing ? undefined : await removeWithRows(trx, job, removing, result);
  const aborted = failing || (isStopped(job, removal) && options.onError === 'abort');
  const definitions = options.validateOnly ? await definitionChangesOf(trx, job.id) : [];
  if (aborted || options.validateOnly) await trx.raw('ROLLBACK TO SAVEPOINT before_job');
  if (!aborted) {
    if (options.validateOnly) await recordChanges(trx, [changedBy(job, result)]);
    await recordDefinitionPreview(trx, { siteId: job.site_id, jobId: job.id, actor: job.actor }, definitions);
  }
  const reported = await withReport(trx, job, removal);
  if (approval !== undefined && !aborted) {
    await recordPreviewRows(trx, job.id, result.changes, applier);
    const end = await endOfPreview(trx, reported, counts, approval);
    if (end !== null) await endJob(trx, job.id, { ...end, applied: { rowCount, result }, definitionsVersion });
    return [];
  }
  if (aborted) {
    const undone = { created: 0, updated: 0, unchanged: 0, failed: counts.failed };
    await endJob(trx, job.id, {
      ...endWithRemoval(job, abortedEnd(counts.failed), removal),
      counts: undone,
      applied: { rowCount, result: nothingApplied(result) },
      definitionsVersion,
    });
    return [];
  }
  const end = endWithRemoval(job, options.validateOnly ? dryRunEnd(counts) : endOf(counts), removal);
  await endJob(trx, job.id, { ...end, applied: { rowCount, result }, definitionsVersion });
  return [...(result.outboxEntries ?? []), ...(removal?.outboxEntries ?? [])];
}

/** Why a job is rejected that was approved for other definitions, or whose snapshot names what is gone; null: it is not. */
async function refusalOf(trx: Knex.Transaction, job: ImportJob, version: number): Promise<RejectedInput | null> {
  try {
    if (approvalOf(job.options)?.state === 'approved') await requireSameDefinitions(trx, job);
    await requireSnapshotOfJob(trx, job, version);
    return null;
  } catch (error) {
    if (error instanceof RejectedInput) return error;
    throw error;
  }
}

/** The result of an aborted job: its failures remain, and all other rows count as not applied, without warnings. */
function nothingApplied({ outcomes, failures }: ChunkResult): ChunkResult {
  const isFailure = (outcome: string) => outcome === OUTCOME.failed || outcome === OUTCOME.duplicate;
  return { outcomes: outcomes.map((outcome) => (isFailure(outcome) ? outcome : OUTCOME.deferred)), failures };
}
