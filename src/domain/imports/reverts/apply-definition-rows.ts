/** Applies the rows of a chunk of a revert that are about definitions, and notes which of them have changed something. */
import type { Knex } from 'knex';
import { NO_CHANGES } from '../../changes/model/item-change.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows, ApplyContext } from '../rows/row-applier.js';
import type { ReadDefinition } from './apply-definitions.js';
import type { CurrentRules } from './current-rules.js';

export async function applyDefinitionRows(
  trx: Knex.Transaction,
  rows: readonly ReadDefinition[],
  { current, context: { pass } }: { readonly current: CurrentRules; readonly context: ApplyContext },
): Promise<AppliedRows> {
  if (pass.number === 0) return noting(rows, await current.afterDefinitions(trx, rows, false));
  const indexes = rows.flatMap((_, index) => (pass.before[index] === OUTCOME.deferred ? [index] : []));
  const due = indexes.flatMap((index) => rows[index] ?? []);
  const { outcomes, ...result } = await current.afterDefinitions(trx, due, false);
  const all: Outcome[] = new Array(rows.length).fill(OUTCOME.deferred);
  for (const [nth, index] of indexes.entries()) all[index] = outcomes[nth] ?? OUTCOME.deferred;
  return noting(rows, { ...result, outcomes: all });
}

const CHANGED: readonly Outcome[] = [OUTCOME.created, OUTCOME.updated, OUTCOME.deleted];

/** Adds which rows have changed definitions: an approved job changes no others. */
export function noting(rows: readonly ReadDefinition[], result: AppliedRows): AppliedRows {
  const definitionRows = rows.flatMap(({ row }, index) => {
    const outcome = result.outcomes[index];
    return outcome !== undefined && CHANGED.includes(outcome) ? [row] : [];
  });
  return { ...result, changes: { ...NO_CHANGES, definitionRows } };
}
