/**
 * Resolves rows: decides what each of them does before any of them is written. Rows that refer to others are resolved
 * in the order of the input, each against the stored items and the changes of the rows before it, so that it does not
 * matter where one chunk ends and the next begins.
 */
import type { Knex } from 'knex';
import { fromInTurns } from '../../../../platform/time-slice.js';
import type { ApplyItems } from '../item-batch.js';
import type { ItemDraft } from '../read/item-draft.js';
import { decideSet } from './decide-set.js';
import { DependentRows, failed } from './dependent-rows.js';
import { DEFERRED, type Resolution, type ResolvedRow } from './resolved-row.js';

/**
 * Resolves rows that may depend on others. A row that another row may still make possible is deferred; in the last pass
 * the rows are a set, whose order decides only who gets a value.
 * @param readFirst false when the keys are assumed to be new
 */
export async function resolveDependentRows(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
  readFirst: boolean,
): Promise<Resolution> {
  const rows = await DependentRows.load(trx, drafts, options, readFirst);
  const decisions = options.pass.last
    ? await decideSet(trx, rows)
    : await fromInTurns(drafts, (_, index) => decideInOrder(rows, index));
  for (const [index, draft] of drafts.entries()) {
    const decision = decisions[index];
    if (decision !== undefined && 'item' in decision) rows.memberships.record(draft);
  }
  return {
    rows: drafts.map((draft, index): ResolvedRow => {
      const decision = decisions[index] ?? DEFERRED;
      if (decision.kind !== 'update') return { draft, decision };
      return {
        draft,
        decision: { ...decision, changed: { ...decision.changed, ...rows.memberships.difference(draft) } },
      };
    }),
    storeBesides: (inner) => rows.storeBesides(inner),
  };
}

/** Decides a row after the rows before it. */
function decideInOrder(rows: DependentRows, index: number): ResolvedRow['decision'] {
  const { reservations, bundles } = rows;
  const draft = rows.draft(index);
  if (rows.first[index]?.kind === 'deferred') {
    if (draft.faults === null) reservations.waitFor(draft.row);
    return DEFERRED;
  }
  const { decision, obstacles } = rows.judge(index);
  const isAwaited = 'item' in decision && reservations.isAwaited(draft);
  if (obstacles.length === 0 && !isAwaited) {
    rows.apply(index, decision);
    return decision;
  }
  const hopeless = obstacles.filter(({ about }) => about.length === 0).length;
  if (hopeless > 0) reservations.stopWaiting(draft.row);
  // A row that fails in any case, and may fail for another reason too, waits until all of them are known.
  if (hopeless > 0 && hopeless === obstacles.length) return failed(obstacles);
  if (hopeless === 0) {
    bundles.defer(draft);
    reservations.waitFor(draft.row);
  }
  return DEFERRED;
}
