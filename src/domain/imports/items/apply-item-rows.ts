/** Applies the rows of one chunk to the items of a site, in the caller's transaction. */
import type { Knex } from 'knex';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../../jobs/chunk-result.js';
import { type ApplyItems, type ReadRow, UNCHANGED_ROW } from './item-batch.js';
import { type ItemDraft, refersToOthers } from './read/item-draft.js';
import { settleLinkedRows } from './resolve/settle-linked-rows.js';
import { settlePlainRows } from './resolve/settle-plain-rows.js';
import type { Settled } from './resolve/settled-row.js';
import { writeSettled } from './write/write-settled.js';

/** How often a chunk looks again because others inserted its keys meanwhile. */
const MAX_LOOKS = 5;

/**
 * Applies rows that have distinct keys but for `duplicates`. After the first wave, only rows that were put off.
 * @returns one outcome a row, in order, and the failures
 */
export async function applyItemRows(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<ChunkResult> {
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const drafts: ItemDraft[] = [];
  const places: number[] = [];
  rows.forEach((read, index) => {
    if (read === UNCHANGED_ROW) {
      outcomes[index] = OUTCOME.unchanged;
      return;
    }
    const { row, outcome } = read;
    const standing = options.duplicates.get(row);
    if (standing !== undefined) {
      outcomes[index] = OUTCOME.duplicate;
      const problem = duplicateProblem(options.names.sku, standing, options.mode === 'insert' ? 'first' : 'last');
      failures.push({ row, key: outcome.key, problems: [problem] });
    } else if (outcome.draft === null) {
      failures.push({ row, key: outcome.key, problems: outcome.problems });
    } else if (options.wave.number === 0 && refersToOthers(outcome.draft)) {
      outcomes[index] = OUTCOME.later;
    } else {
      drafts.push(outcome.draft);
      places.push(index);
    }
  });

  const settled = await settleAndWrite(trx, drafts, options);
  settled.forEach(({ draft, decision }, nth) => {
    const place = places[nth] ?? 0;
    outcomes[place] = OUTCOME_OF[decision.kind];
    if (decision.kind === 'failed') failures.push({ row: draft.row, key: draft.sku, problems: decision.problems });
  });
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
  later: OUTCOME.later,
} as const;

/** @returns what became of each draft, in order */
async function settleAndWrite(
  trx: Knex.Transaction,
  drafts: readonly ItemDraft[],
  options: ApplyItems,
): Promise<readonly Settled[]> {
  const settle = options.wave.number === 0 ? settlePlainRows : settleLinkedRows;
  let lookFirst = options.wave.number > 0 || !options.siteWasEmpty;
  for (let look = 1; look <= MAX_LOOKS; look++) {
    const settlement = await settle(trx, drafts, options, lookFirst);
    if (await writeSettled(trx, settlement, options)) return settlement.rows;
    lookFirst = true;
  }
  throw new Error('other jobs keep inserting the same SKUs');
}
