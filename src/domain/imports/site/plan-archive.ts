/** Plans the import of an archive: checks all of it, and unpacks its items, whose lines are the rows of the job. */

import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Db } from '../../../../db/connection.js';
import { Job } from '../../../../db/models/job.js';
import { storeFile } from '../../../platform/store-file.js';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { storedBytes } from '../../formats/model/stored-bytes.js';
import { planSource } from '../../formats/plan-source.js';
import { ARCHIVE_FILES } from '../../formats/site-archive.js';
import { approvalOf, withoutApproval } from '../../job-model/approval.js';
import { parseJob } from '../../job-model/job-type.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { IMPORT_JOBS, type ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { spoolKey } from '../model/spool-key.js';
import type { RowApplier } from '../rows/row-applier.js';
import { openArchive } from './import-archive.js';
import { refused } from './read-archive.js';
import { stageIsEmpty } from './stage-is-empty.js';

/** What planning needs to know of the applier, which exists when the definitions of the archive do. */
export const PLANNED: Pick<RowApplier, 'ordered'> = { ordered: true };

/** @throws RejectedInput; the signal's reason when it is aborted */
export async function planArchive(services: FileJobServices, job: ImportJob, signal: AbortSignal): Promise<FilePlan> {
  const { db, fileStore, chunkRows } = services;
  const archive = await openArchive(db, fileStore, job);
  for (const { kind } of ARCHIVE_FILES) if (kind !== 'items') await archive.text(kind);
  const key = spoolKey(job.id);
  try {
    const items = Readable.from(archive.read('items'), { objectMode: false });
    await storeFile(fileStore, key, (stream) => pipeline(items, stream, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
  if (archive.file('items').rows === 0) return NO_ITEMS;
  const plan = await planSource({
    ...storedBytes(fileStore, key),
    createSpool: (): Promise<Writable> => Promise.reject(refused('its items.jsonl is not in UTF-8')),
    openSpool: () => fileStore.read(key),
    ...{ format: 'JSONL', gzip: false, options: { encoding: 'utf-8' }, signal, winner: 'last', keyField: 'sku' },
    limits: { ...DEFAULT_LIMITS, maxBytes: Number.MAX_SAFE_INTEGER, chunkRows },
    resolveHeader: () => -1,
    workbookColumns: () => [],
    keyOf: skuOfElement,
    normaliseKey: normalizeSku,
  });
  for (const { duplicates } of plan.chunks) {
    const [twice] = duplicates;
    if (twice === undefined) continue;
    throw new RejectedInput(
      'ARCHIVE_REFUSED',
      `items.jsonl row ${twice[0]} has the same SKU as row ${twice[1]}: an archive has each item once`,
    );
  }
  return { ...plan, source: 'spool', keyColumn: -1 };
}

/** The job without its approval, if it needs one only where the stage is not empty. */
export async function withoutNeedlessApproval(db: Db, job: ImportJob): Promise<ImportJob> {
  const approval = approvalOf(job.options);
  if (approval?.state !== 'preview' || approval.unlessEmpty !== true) return job;
  if (!(await stageIsEmpty(db, job.site_id))) return job;
  const row = await Job.query(db).findById(job.id).throwIfNotFound();
  const options = withoutApproval<Partial<ImportOptions>>(job.options);
  return parseJob(IMPORT_JOBS, Object.assign(row, { options }));
}

const NO_ITEMS: FilePlan = {
  ...{ source: 'spool', bodyFormat: 'JSONL', delimiter: null, headerCells: null, keyColumn: -1 },
  ...{ totalRows: 0, chunks: [] },
};
