/** What an atomic job does before its rows, in their transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { missingOf } from '../missing/create-definitions.js';
import { type Creation, createMissing } from '../missing/create-missing.js';
import type { ImportJob } from '../model/import-jobs.js';
import { type ImportedArchive, importArchive, openArchive } from '../site/import-archive.js';

interface DefiningServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: { readonly secretsKeys: readonly string[] };
}

/** What the job defines before its rows, in its transaction; undefined: nothing. */
export async function definingOf(
  { db, fileStore, config }: DefiningServices,
  job: ImportJob,
): Promise<((trx: Knex.Transaction) => Promise<Creation | ImportedArchive>) | undefined> {
  if (job.kind === 'site') {
    const archive = await openArchive(db, fileStore, job);
    return (trx) => importArchive(trx, config, job, archive);
  }
  const missing = missingOf(job);
  return missing === undefined ? undefined : (trx) => createMissing(trx, job, missing);
}

/** @returns what `work` made, or why it cannot: the caller undoes what it has written */
export async function orRefusal<Made>(work: () => Promise<Made>): Promise<Made | RejectedInput> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return error;
  }
}
