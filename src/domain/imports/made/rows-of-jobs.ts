/**
 * What a step of an import needs of the rows of its job, whatever kind they are of. Steps are given it, so that they load
 * the rows of no kind.
 *
 * Clients send the rows of most jobs. Those of a revert are made of the change log, those of a promotion of a comparison,
 * and those of an archive are what it holds.
 */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { ChunkCounts } from '../../outcomes/model/chunk-result.js';
import type { LoadApplier } from '../appliers/load-applier.js';
import type { FileJobServices, ReadFile } from '../execute/file-plan.js';
import type { CreateMissing } from '../missing/create-missing.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportedArchive } from '../site/import-archive.js';

export interface RowsOfJobs {
  /** Creates what applies the rows of any job. */
  readonly loadApplier: LoadApplier;
  /** Creates the definitions that the rows of a file need. */
  readonly createMissing: CreateMissing;
  /**
   * Makes the rows of a job that is planned; undefined for a job whose rows a client has sent.
   * @throws RejectedInput; the signal's reason when it is aborted
   */
  readonly plan: (
    services: FileJobServices,
    job: ImportJob,
    version: number,
    signal: AbortSignal,
  ) => Promise<ReadFile> | undefined;
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
