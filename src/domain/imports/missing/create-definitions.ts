/** When the job of a file creates the definitions that its rows need, and how that is recorded. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { withRetries } from '../../../../db/with-retries.js';
import { parseJob } from '../../job-model/job-type.js';
import { lockJobStep, recordOptions } from '../../jobs/job-steps.js';
import type { LoadApplier } from '../appliers/load-applier.js';
import type { MissingDefinitions } from '../kept/missing-definitions.js';
import { IMPORT_JOBS, type ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { RowApplier } from '../rows/row-applier.js';
import type { ImportedArchive } from '../site/import-archive.js';
import type { CreateMissing, Creation } from './create-missing.js';

/** What a job is still to create before its rows; undefined: nothing, or it has done so. */
export function missingOf(job: Pick<ImportJob, 'options'>): MissingDefinitions | undefined {
  const { missing }: Partial<ImportOptions> = job.options;
  return missing;
}

interface DefinitionServices {
  readonly db: Db;
  readonly createMissing: CreateMissing;
}

/** The job with the version of the definitions that its rows are checked by. */
interface Prepared {
  readonly job: ImportJob;
  readonly definitionsVersion: number;
}

/** Whether the job creates definitions, and commits them before its rows. */
export function createsBeforeRows(job: Pick<ImportJob, 'isAtomic' | 'options'>): boolean {
  return !job.isAtomic && missingOf(job) !== undefined;
}

/**
 * Creates the definitions of a job that has begun, unless it is atomic, and commits them. With the same commit the job
 * no longer has anything to create, and uses the definitions that it has created: a worker that takes over goes on with
 * the rows.
 * @returns undefined when another worker has the job
 * @throws RejectedInput when they cannot be created
 */
export async function createBeforeRows(
  { db, createMissing }: DefinitionServices,
  { job, definitionsVersion }: Prepared,
  dispatch: number,
): Promise<Prepared | undefined> {
  if (!createsBeforeRows(job)) return { job, definitionsVersion };
  return withRetries(db, async (trx) => {
    const row = await lockJobStep(trx, { jobId: job.id, dispatch }, 'plan');
    if (row === undefined) return undefined;
    const current = parseJob(IMPORT_JOBS, row);
    const missing = missingOf(current);
    const made = missing === undefined ? undefined : await createMissing(trx, current, missing);
    if (made === undefined) return { job: current, definitionsVersion: row.definitions_version ?? definitionsVersion };
    const options = await recordCreation(trx, current, made, true);
    const changed = { ...row, options, definitions_version: made.version };
    return { job: parseJob(IMPORT_JOBS, changed), definitionsVersion: made.version };
  });
}

/**
 * Records what a job has created. The transaction has locked the job's row.
 * @param stays whether it is committed with the record; if not, the job would have created it, or a retry has to
 * @returns the options as they are recorded
 */
export async function recordCreation(
  trx: Knex.Transaction,
  { id, options }: Pick<ImportJob, 'id' | 'options'>,
  { version, ...made }: Creation | ImportedArchive,
  stays: boolean,
): Promise<object> {
  const { missing, ...others }: Partial<ImportOptions> = options;
  const recorded = { ...others, ...(stays ? {} : { missing }), ...made };
  await recordOptions(trx, id, { options: recorded, definitionsVersion: stays ? version : undefined });
  return recorded;
}

/** What a file is planned with. */
interface PlanApplier {
  readonly applier: RowApplier;
  /** The version of the definitions that it goes by. Others may get the same if these were undone. */
  readonly version: number;
}

/**
 * What a file is planned with. The header has to be read before the definitions of the job are committed: an atomic job
 * creates them with its rows, and others when the file was not rejected. So they are created here and undone.
 * @throws RejectedInput when they cannot be created
 */
export async function loadPlanApplier(
  { db, createMissing, loadApplier }: DefinitionServices & { readonly loadApplier: LoadApplier },
  job: ImportJob,
  version: number,
): Promise<PlanApplier> {
  const missing = missingOf(job);
  if (missing === undefined) return { applier: await loadApplier(db, job, version, null), version };
  return withRetries(db, async (trx) => {
    await trx.raw('SAVEPOINT before_definitions');
    const made = await createMissing(trx, job, missing);
    const applier = await loadApplier(trx, job, made.version, null);
    await trx.raw('ROLLBACK TO SAVEPOINT before_definitions');
    return { applier, version: made.version };
  });
}
