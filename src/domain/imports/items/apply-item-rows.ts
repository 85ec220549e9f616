/** Applies the rows of one chunk of items, in the caller's transaction. */
import type { Knex } from 'knex';
import type { ChunkResult, Outcome, RowFailure } from '../../jobs/model/chunk-result.js';
import { OUTCOME } from '../../jobs/model/chunk-result.js';
import { duplicateProblem } from '../../jobs/model/superseded-rows.js';
import type { ApplyItems, ReadRow } from './item-batch.js';
import { UNCHANGED_ROW } from './item-batch.js';
import type { ItemDraft } from './read/item-draft.js';
import { refersToOthers } from './read/item-draft.js';
import { resolveDependentRows } from './resolve/resolve-dependent-rows.js';
import { resolvePlainRows } from './resolve/resolve-plain-rows.js';
import type { ResolvedRow } from './resolve/resolved-row.js';
import { writeResolved } from './write/write-resolved.js';

/** How often a chunk reads the stored items again because other jobs inserted its keys meanwhile. */
export const MAX_READS = 5;

/**
 * Applies rows whose keys are distinct, except for `duplicates`. After the first pass these are deferred rows only.
 * @returns one outcome for each row, in order, and the failures
 */
export async function applyItemRows(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  const sorted = sortRows(rows, options);
  return resultOf(sorted, await resolveAndWrite(trx, sorted.drafts, options));
}

interface SortedRows {
  /** One for each row; those of the drafts are not decided. */
  readonly outcomes: Outcome[];
  readonly failures: RowFailure[];
  readonly drafts: readonly ItemDraft[];
  /** The index of each draft's row. */
  readonly indexes: readonly number[];
}

/**
 * Whether rows are resolved one after another. So they are in the first pass already where values are unique: a row that
 * is deferred because it refers to others keeps the values that it wants from the rows after it.
 */
function resolvesInOrder({ pass, rules }: ApplyItems): boolean {
  return pass.number > 0 || rules.unique.length > 0;
}

/** Separates the rows that have to be compared with what is stored from those whose outcome is known. */
export function sortRows(rows: readonly ReadRow[], options: ApplyItems): SortedRows {
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const drafts: ItemDraft[] = [];
  const indexes: number[] = [];
  rows.forEach((read, index) => {
    if (read === UNCHANGED_ROW) {
      outcomes[index] = OUTCOME.unchanged;
      return;
    }
    const { row, outcome } = read;
    const draft = outcome.draft ?? outcome.rest;
    const winner = options.duplicates.get(row);
    if (winner !== undefined) {
      outcomes[index] = OUTCOME.duplicate;
      const problem = duplicateProblem(options.names.sku, winner, options.mode === 'insert' ? 'first' : 'last');
      failures.push({ row, key: outcome.key, problems: [problem] });
    } else if (draft === null) {
      failures.push({ row, key: outcome.key, problems: outcome.problems ?? [] });
    } else if (options.pass.number === 0 && !resolvesInOrder(options) && refersToOthers(draft)) {
      outcomes[index] = OUTCOME.deferred;
    } else {
      drafts.push(draft);
      indexes.push(index);
    }
  });

  return { outcomes, failures, drafts, indexes };
}

/** The result of rows whose drafts are resolved. */
export function resultOf({ outcomes, failures, indexes }: SortedRows, resolved: readonly ResolvedRow[]): ChunkResult {
  resolved.forEach(({ draft, decision }, nth) => {
    const index = indexes[nth] ?? 0;
    outcomes[index] = OUTCOME_OF[decision.kind];
    if (decision.kind === 'failed')
      failures.push({ row: draft.row, key: draft.sku || null, problems: decision.problems });
  });
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
  deferred: OUTCOME.deferred,
} as const;

/** @returns the decision about each draft, in order */
async function resolveAndWrite(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
): Promise<readonly ResolvedRow[]> {
  const resolve = resolvesInOrder(options) ? resolveDependentRows : resolvePlainRows;
  let readFirst = options.pass.number > 0 || !options.siteWasEmpty;
  for (let read = 1; read <= MAX_READS; read++) {
    const resolution = await resolve(trx, drafts, options, readFirst);
    if (await writeResolved(trx, resolution, options)) return resolution.rows;
    readFirst = true;
  }
  throw new Error('other jobs keep inserting the same SKUs');
}
