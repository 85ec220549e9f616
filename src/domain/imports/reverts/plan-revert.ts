/** The rows of a revert: they are made of the change log when its turn has come. */
import type { Knex } from 'knex';
import { definitionChangesBy, lastItemSet } from '../../changes/changes-by-definition.js';
import { changesByItem } from '../../changes/changes-by-item.js';
import { surroundingChangesBy } from '../../changes/surrounding-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { DefinitionRow } from './definition-row.js';
import { foldChanges } from './fold-changes.js';
import { foldDefinitions } from './fold-definitions.js';
import { foldSurroundings } from './fold-surroundings.js';
import { definitionLabels } from './label-definitions.js';
import { planRows } from './plan-rows.js';
import type { RevertRow } from './revert-row.js';
import { staysAfterRevert } from './stays-after-revert.js';

type RevertJob = Extract<ImportJob, { readonly kind: 'revert' }>;

/** @throws RejectedInput when the changes are no longer kept; the signal's reason when it is aborted */
export async function planRevert(services: FileJobServices, job: RevertJob, signal: AbortSignal): Promise<FilePlan> {
  const plan = await planRows(services, job, signal, (trx) => rowsOf(trx, job.site_id, job.options.revertOf));
  if (plan.totalRows === 0) throw new RejectedInput('CHANGES_GONE', 'the changes of the job are no longer kept');
  return { ...plan, stays: await staysAfterRevert(services.db, job.options.revertOf) };
}

async function* rowsOf(
  trx: Knex.Transaction,
  siteId: number,
  jobIds: readonly string[],
): AsyncGenerator<RevertRow | DefinitionRow> {
  const changes = await definitionChangesBy(trx, jobIds);
  const labelOf = changes.length === 0 ? () => '' : await definitionLabels(trx, siteId, changes);
  const { beforeItems, afterItems } = foldDefinitions(changes, await lastItemSet(trx, jobIds), labelOf);
  const mayWait = beforeItems.length + afterItems.length > 0;
  // While the stage has items, no attribute gets another role: those that come wait for it.
  const roles = [...beforeItems, ...afterItems].filter(isRole);
  yield* beforeItems.filter((row) => !isRole(row));
  if (roles.length === 0) yield* itemRows(trx, jobIds, mayWait);
  else {
    let going = 0;
    for await (const row of itemRows(trx, jobIds, mayWait)) {
      if (row.was) continue;
      if (row.is) going++;
      yield row;
    }
    yield* roles;
    // While others stay, no role is ever given back.
    const waits = (await countItems(trx, siteId)) > going ? undefined : roles.map(({ key, after }) => ({ key, after }));
    for await (const row of itemRows(trx, jobIds, mayWait)) if (row.was) yield row.is ? row : { ...row, waits };
  }
  yield* afterItems.filter((row) => !isRole(row));
  yield* foldSurroundings(await surroundingChangesBy(trx, jobIds));
}

function isRole({ kind }: DefinitionRow): boolean {
  return kind === 'mapping';
}

async function* itemRows(
  trx: Knex.Transaction,
  jobIds: readonly string[],
  mayWait: boolean,
): AsyncGenerator<RevertRow> {
  for await (const row of foldChanges(changesByItem(trx, jobIds))) yield mayWait ? { ...row, mayWait } : row;
}

async function countItems(trx: Knex.Transaction, siteId: number): Promise<number> {
  const row = await trx('item').where({ site_id: siteId }).count('* as count').first();
  return Number(row?.count ?? 0);
}
