/** The rows of a comparison of stages, and of a job that carries over what was found. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { Job } from '../../../../db/models/job.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { parseJob } from '../../jobs/model/job-type.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { uploadOf } from '../execute/read-source.js';
import { IMPORT_JOBS, type ImportJob } from '../model/import-jobs.js';
import type { ChosenDifferences } from '../model/promote-job.js';
import { planRows } from '../reverts/plan-rows.js';
import type { RevertRow } from '../reverts/revert-row.js';
import { differencesBetween } from './differences.js';
import { loadStageMaps } from './stage-maps.js';

type PromoteJob = Extract<ImportJob, { readonly kind: 'promote' }>;

/** @throws RejectedInput when what was found is no longer kept; the signal's reason when it is aborted */
export async function planPromote(services: FileJobServices, job: PromoteJob, signal: AbortSignal): Promise<FilePlan> {
  const { compareOf, chosen = {} } = job.options;
  const plan = await planRows(services, job, signal, (trx) =>
    compareOf === undefined ? differences(trx, job) : found(trx, services, compareOf, chosen),
  );
  if (plan.totalRows > 0 || compareOf === undefined) return plan;
  throw new RejectedInput(
    'NO_ROWS',
    'the comparison has found no difference of what was chosen: there is nothing to carry over',
  );
}

async function* differences(trx: Knex.Transaction, { site_id: targetId, options: { sourceId } }: PromoteJob) {
  const maps = await loadStageMaps(trx, sourceId, targetId);
  yield* differencesBetween(trx, { sourceId, targetId }, maps);
}

async function* found(
  trx: Knex.Transaction,
  { fileStore }: FileJobServices,
  compareOf: string,
  chosen: ChosenDifferences,
): AsyncGenerator<RevertRow> {
  const row = await Job.query(trx).findById(compareOf);
  const key = row === undefined ? null : (await uploadOf(trx, parseJob(IMPORT_JOBS, row))).storage_key;
  if (key === null || (await fileStore.size(key)) === null) {
    throw new RejectedInput('CHANGES_GONE', 'what was found by the comparison is no longer kept');
  }
  const isChosen = choosing(chosen);
  const lines = createInterface({
    input: Readable.from(await fileStore.read(key)),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    const difference: RevertRow = JSON.parse(line);
    if (isChosen(difference)) yield difference;
  }
}

function choosing({ skus, operations, keys }: ChosenDifferences): (row: RevertRow) => boolean {
  const named = skus === undefined ? undefined : new Set(skus);
  const wanted = keys === undefined ? undefined : new Set(keys);
  return ({ sku, was, is, changed }) =>
    (named?.has(sku) ?? true) &&
    (operations?.includes(was ? (is ? 'UPDATED' : 'CREATED') : 'DELETED') ?? true) &&
    (wanted === undefined || Object.keys(changed).some((key) => wanted.has(key)));
}
