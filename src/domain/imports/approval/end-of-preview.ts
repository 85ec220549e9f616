/** What becomes of a job when its preview is done: it waits for an approval, or goes on because nobody has to approve it. */
import type { Knex } from 'knex';
import { forgetPreview } from '../../changes/record-changes.js';
import { type Approval, approvalOf } from '../../job-model/approval.js';
import type { ArchiveReport } from '../../job-model/archive-report.js';
import type { RemovalReport } from '../../job-model/removal-report.js';
import { beginAgain } from '../../jobs/begin-again.js';
import { recordOptions } from '../../jobs/job-steps.js';
import type { HowItEnds } from '../../jobs/model/job-end.js';
import { counted } from '../../kernel/counted.js';
import type { ChunkCounts } from '../../outcomes/model/chunk-result.js';
import { isAbove } from '../../settings/is-above.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { endOf } from '../pipeline/row-ends.js';
import { boundDefinitions } from './definitions-moved.js';
import { forgetPreviewRows } from './preview-rows.js';
import { boundSurroundings } from './surroundings-moved.js';

/**
 * Decides how the preview ends. The transaction has locked the job's row.
 * @param counts what its rows would do
 * @returns null: the job goes on by itself, and has begun again at the end of the order of its site
 */
export async function endOfPreview(
  trx: Knex.Transaction,
  job: Pick<ImportJob, 'id' | 'kind' | 'site_id' | 'options' | 'input_file_id' | 'line_no' | 'started_at'>,
  counts: ChunkCounts,
  approval: Approval,
): Promise<HowItEnds | null> {
  const removal = removalOf(job);
  const changed = counts.created + counts.updated + (removal?.removed ?? 0);
  const defined = definedBy(job);
  // A job that writes nothing needs no approval. It has the end of one that was applied.
  if (changed + defined === 0) {
    await forgetPreview(trx, job.id);
    await forgetPreviewRows(trx, job.id);
    return { ...endOf(counts), isWholeTruth: removal?.stopped === false };
  }
  const bound = { ...approval, ...(await boundDefinitions(trx, job)), ...(await boundSurroundings(trx, job)) };
  if (removal?.stopped === true || (await isAbove(trx, job.site_id, changed, approval))) {
    await recordOptions(trx, job.id, { options: { ...job.options, approval: bound } });
    return { status: 'AWAITING_APPROVAL', statusMessage: saying(job, counts, defined, removal) };
  }
  const { above: _, state: __, ...kept } = bound;
  // It is held, so that what follows the end of the preview enqueues it after the commit.
  await beginAgain(trx, job, kept, true);
  return null;
}

/** What became, or would become, of the items that its file lacks. */
export function removalOf({ options }: Pick<ImportJob, 'options'>): RemovalReport | undefined {
  const { removal }: Partial<ImportOptions> = options;
  return removal;
}

/** The approval of a job whose preview this is. */
export function previewOf(job: Pick<ImportJob, 'options'>): Approval | undefined {
  const approval = approvalOf(job.options);
  return approval?.state === 'preview' && approval.only === undefined ? approval : undefined;
}

/** Whether it is rejected because rows failed, as the job that it previews would be: nothing of it can be approved. */
export function isRejectedPreview(job: Pick<ImportJob, 'options'>, failed: number): boolean {
  return failed > 0 && job.options.onError === 'abort' && previewOf(job) !== undefined;
}

/** How many definitions it would create for its rows; of an archive, how many definitions and settings it would change. */
function definedBy({ options }: Pick<ImportJob, 'options'>): number {
  const { created, archive }: Partial<ImportOptions> = options;
  return Object.values(created ?? {}).reduce(
    (sum, one) => sum + one,
    archive === undefined ? 0 : changedByArchive(archive),
  );
}

/** How many definitions and settings were changed, or would be. */
function changedByArchive({ attributes, categories, profiles, webhooks, settings }: ArchiveReport): number {
  const parts = [attributes, categories, profiles, webhooks];
  return parts.reduce((sum, { created, updated }) => sum + created + updated, settings === 'CHANGED' ? 1 : 0);
}

function saying(
  { id: jobId, kind, input_file_id: fileId }: Pick<ImportJob, 'id' | 'kind' | 'input_file_id'>,
  { created, updated, failed }: ChunkCounts,
  defined: number,
  removal: RemovalReport | undefined,
): string {
  const parts = [
    ...(defined > 0 ? [`create ${kind === 'site' ? 'or change ' : ''}${counted(defined, 'definition')}`] : []),
    ...(created > 0 ? [`create ${counted(created, 'row')}`] : []),
    ...(updated > 0 ? [`change or delete ${counted(updated, 'row')}`] : []),
    ...(removal !== undefined && removal.removed > 0
      ? [
          `remove ${counted(removal.removed, 'item')} that the ${fileId === null ? 'request' : 'file'} lacks${removal.stopped ? ', which the brake would stop' : ''}`,
        ]
      : []),
  ];
  const failing = failed > 0 ? `, and ${counted(failed, 'row')} would fail` : '';
  return `a preview: it would ${parts.join(' and ')}${failing}; see GET /jobs/${jobId}/changes, and approve or reject it by actions/approve or actions/reject`;
}
