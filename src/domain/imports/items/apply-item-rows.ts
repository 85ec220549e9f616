/** Applies the rows of one chunk to the items of a site, in the caller's transaction. */
import type { Knex } from 'knex';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../../jobs/chunk-result.js';
import type { WriteMode } from '../../jobs/job-options.js';
import type { Wave } from '../../jobs/waves.js';
import type { Reserved } from '../pipeline/ingest-kind.js';
import type { ItemRules } from './item-rules.js';
import type { DraftOutcome } from './read/draft-builder.js';
import type { FixedNames } from './read/item-columns.js';
import { type ItemDraft, refersToOthers } from './read/item-draft.js';
import { settleLinkedRows } from './resolve/settle-linked-rows.js';
import { settlePlainRows } from './resolve/settle-plain-rows.js';
import type { Settled } from './resolve/settled-row.js';
import { writeSettled } from './write/write-settled.js';

/** A row as it was read, before it is compared with what is stored. */
export interface ReadRow {
  readonly row: number;
  readonly outcome: DraftOutcome;
}

/** Stands in for each row that was applied before just as it is. */
export const KNOWN_ROW: ReadRow = { row: 0, outcome: { draft: null, problems: [], key: null } };

export interface ApplyItems {
  readonly siteId: number;
  readonly jobId: string;
  readonly rules: ItemRules;
  readonly mode: WriteMode;
  readonly channel: number | null;
  /** Rows that lose to another row with the same key: row → the row that stands. */
  readonly duplicates: ReadonlyMap<number, number>;
  /** The site held no item when the job began: keys need no look-up, a collision will show itself. */
  readonly siteWasEmpty: boolean;
  readonly reserved: Reserved;
  /** Rows that refer to others wait until those are written. */
  readonly wave: Wave;
  readonly names: FixedNames;
  /** See ApplyContext. */
  readonly guarded: boolean;
}

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
    if (read === KNOWN_ROW) {
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
