/** The rows of a job that carries over what a comparison of stages has found. */
import type { Knex } from 'knex';
import { Job } from '../../../../db/models/job.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { parseJob } from '../../job-model/job-type.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { COMPARE_JOBS, differencesKey } from '../model/compare-job.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ChosenDifferences } from '../model/promote-job.js';
import type { DefinitionRow } from '../reverts/definition-row.js';
import { planRows } from '../reverts/plan-rows.js';
import type { RevertRow } from '../reverts/revert-row.js';
import type { DefinitionDifference } from './definition-differences.js';
import { NeededDefinitions, rowsOfDefinitions } from './definition-rows.js';
import { type Difference, readDifferences } from './found-differences.js';
import { loadStageMaps } from './stage-maps.js';

type PromoteJob = Extract<ImportJob, { readonly kind: 'promote' }>;

/** @throws RejectedInput when what was found is no longer kept; the signal's reason when it is aborted */
export async function planPromote(services: FileJobServices, job: PromoteJob, signal: AbortSignal): Promise<FilePlan> {
  const plan = await planRows(services, job, signal, (trx) => rowsOf(trx, services, job));
  if (plan.totalRows > 0) return plan;
  throw new RejectedInput(
    'NO_ROWS',
    'the comparison has found no difference of what was chosen: there is nothing to carry over',
  );
}

async function* rowsOf(
  trx: Knex.Transaction,
  { fileStore }: FileJobServices,
  { site_id: siteId, options }: PromoteJob,
): AsyncGenerator<RevertRow | DefinitionRow> {
  const { sourceId, compareOf, chosen = {}, definitions: which = 'none' } = options;
  const row = await Job.query(trx).findById(compareOf);
  const key = row === undefined ? '' : differencesKey(row.id, parseJob(COMPARE_JOBS, row).plan?.attempt ?? 0);
  if (row === undefined || (await fileStore.size(key)) === null) {
    throw new RejectedInput('CHANGES_GONE', 'what was found by the comparison is no longer kept');
  }
  const found = await definitionsIn(readDifferences(fileStore, key));
  const isChosen = choosing(chosen, found);
  const items = async function* (): AsyncGenerator<RevertRow> {
    for await (const difference of readDifferences(fileStore, key)) {
      if ('item' in difference && isChosen(difference.item)) yield difference.item;
    }
  };
  const carried = async (): Promise<readonly DefinitionDifference[]> => {
    if (which !== 'needed' || found.length === 0) return which === 'all' ? found : [];
    const needed = new NeededDefinitions(found, await loadStageMaps(trx, sourceId, siteId));
    for await (const item of items()) needed.add(item);
    return needed.found;
  };
  const { beforeItems, afterItems } = await rowsOfDefinitions(trx, siteId, await carried(), which);
  yield* beforeItems;
  yield* items();
  yield* afterItems;
}

/** They come before the items. */
async function definitionsIn(differences: AsyncIterable<Difference>): Promise<DefinitionDifference[]> {
  const found: DefinitionDifference[] = [];
  for await (const difference of differences) {
    if ('item' in difference) break;
    found.push(difference.definition);
  }
  return found;
}

/** @param found by which attributes are known that the stage lacks: they are chosen by their names */
function choosing(
  { skus, operations, keys }: ChosenDifferences,
  found: readonly DefinitionDifference[],
): (row: RevertRow) => boolean {
  const named = skus === undefined ? undefined : new Set(skus);
  const wanted = keys === undefined ? undefined : new Set(keys);
  for (const { kind, key, source } of found) {
    if (kind === 'attribute' && wanted?.has(String(source?.name))) wanted.add(key);
  }
  return ({ sku, was, is, changed }) =>
    (named?.has(sku) ?? true) &&
    (operations?.includes(was ? (is ? 'UPDATED' : 'CREATED') : 'DELETED') ?? true) &&
    (wanted === undefined || Object.keys(changed).some((key) => wanted.has(key)));
}
