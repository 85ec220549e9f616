/** Imports the definitions of an archive, in the transaction of its job, whose rows are the items of the archive. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import { snapshotDefinitions } from '../../catalog/definition-snapshot.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import { noteChanger } from '../../changes/definition-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { storedBytes } from '../../formats/model/stored-bytes.js';
import { approvalOf } from '../../job-model/approval.js';
import type { ArchiveReport } from '../../job-model/archive-report.js';
import type { ChunkCounts } from '../../outcomes/model/chunk-result.js';
import { requireSameSurroundings } from '../approval/surroundings-moved.js';
import { uploadOf } from '../execute/read-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import { importAttributes, importCategories } from './import-catalog-definitions.js';
import { importProfiles, importSettings, importWebhooks } from './import-surroundings.js';
import { SiteArchive } from './read-archive.js';
import { stageIsEmpty } from './stage-is-empty.js';

interface ArchiveServices {
  readonly fileStore: FileStore;
  readonly secretsKeys: readonly string[];
}

/** What was done, and the version of the definitions after it. */
export interface ImportedArchive {
  readonly archive: ArchiveReport;
  readonly version: number;
}

/** Opens the uploaded archive of a job. @throws RejectedInput */
export async function openArchive(db: Db, fileStore: FileStore, job: ImportJob): Promise<SiteArchive> {
  const { id, storage_key: key } = await uploadOf(db, job);
  if (key === null) throw new Error(`file ${id} was never uploaded`);
  return SiteArchive.open(await storedBytes(fileStore, key).openRanges());
}

/**
 * Writes all that an archive has but for its items.
 * @param archive opened before the transaction
 * @throws RejectedInput DEFINITIONS_NOT_CREATED with all that is in the way; STAGE_NOT_EMPTY when somebody has written to
 *   the stage since it was decided that no approval is needed; `trx` must be undone then
 */
export async function importArchive(
  trx: Knex.Transaction,
  { secretsKeys }: Pick<ArchiveServices, 'secretsKeys'>,
  job: ImportJob,
  archive: SiteArchive,
): Promise<ImportedArchive> {
  const { site_id: siteId, account_id: accountId, id: jobId, actor } = job;
  // The lock of a change, before the shared one of the snapshot: see createMissing.
  await lockDefinitions(trx, siteId);
  await noteChanger(trx, { jobId, actor });
  if (!job.isDryRun && approvalOf(job.options) === undefined && !(await stageIsEmpty(trx, siteId))) {
    const message =
      'the stage is not empty, because somebody has written to it meanwhile, so that the import needs an approval: upload the archive again';
    throw new RejectedInput('STAGE_NOT_EMPTY', message);
  }
  const own = { jobId, siteId, actor };
  const attributes = await importAttributes(trx, own, archive);
  const categories = await importCategories(trx, own, archive);
  const profiles = await importProfiles(trx, own, archive);
  const settings = await importSettings(trx, own, archive);
  const webhooks = await importWebhooks(trx, { ...own, accountId }, archive, secretsKeys);
  await requireSameSurroundings(trx, job);
  const report = { attributes, categories, profiles, webhooks, settings, items: { notInArchive: 0 } };
  return { archive: report, version: await snapshotDefinitions(trx, siteId) };
}

/** What was done, with the items of the stage that the archive does not have. @param counts of the items that it has */
export async function withItemsBesides(
  trx: Knex.Transaction,
  { site_id: siteId }: ImportJob,
  { archive, version }: ImportedArchive,
  { created, updated, unchanged }: ChunkCounts,
): Promise<ImportedArchive> {
  const [{ count } = { count: 0 }] = await trx('item').where({ site_id: siteId }).count<{ count: string | number }[]>();
  const notInArchive = Math.max(0, Number(count) - created - updated - unchanged);
  return { archive: { ...archive, items: { notInArchive } }, version };
}
