/**
 * Jobs whose rows no client sends as they are: those of a revert are made of the change log, those of a promotion of a
 * comparison, and those of an archive are what it holds. The steps of imports are given how, so that they do not load it.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { ChunkCounts } from '../../jobs/model/chunk-result.js';
import type { FileJobServices, ReadFile } from '../execute/file-plan.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../model/row-applier.js';
import type { ImportedArchive } from '../site/import-archive.js';

/** Each function returns undefined for a job whose rows a client has sent. */
export interface RowsOfJobs {
  /** Makes the rows of a job that is planned. @throws RejectedInput; the signal's reason when it is aborted */
  readonly plan: (
    services: FileJobServices,
    job: ImportJob,
    version: number,
    signal: AbortSignal,
  ) => Promise<ReadFile> | undefined;
  /** Creates what applies them. @param version the version of the definitions that the job uses */
  readonly loadApplier: (db: Db, job: ImportJob, version: number) => Promise<RowApplier> | undefined;
  /** Opens the definitions that an archive has beside its rows; undefined also for jobs without them. */
  readonly open: (services: ArchiveServices, job: ImportJob) => Promise<BesideRows> | undefined;
}

/** What an archive is opened with. */
export interface ArchiveServices {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly config: {
    /** Webhook definitions of an archive get new secrets. */
    readonly secretsKeys: readonly string[];
  };
}

/** What an archive has beside its rows. */
export interface BesideRows {
  /** Writes it, in the transaction of the rows and before them. @throws RejectedInput */
  readonly write: (trx: Knex.Transaction) => Promise<ImportedArchive>;
  /** What was done, when the rows were applied. @param counts of the rows */
  readonly after: (trx: Knex.Transaction, made: ImportedArchive, counts: ChunkCounts) => Promise<ImportedArchive>;
}
