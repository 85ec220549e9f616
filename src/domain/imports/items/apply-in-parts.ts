/** Applies the rows of a chunk in parts, so that few of the items that they change are in memory at once. */
import type { Knex } from 'knex';
import { joinedChanges } from '../../changes/model/item-change.js';
import type { Outcome, RowFailure } from '../../outcomes/model/chunk-result.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { applyBisecting } from './apply-bisecting.js';
import { type ApplyItems, type ReadRow, UNCHANGED_ROW } from './item-batch.js';
import { BEFORE_ROWS } from './write/write-items.js';

/** The first part of a chunk, from which the size of its items is learned. */
const FIRST_ROWS = 200;
const LEAST_ROWS = 10;
const GROWTH = 4;
/** As many stored documents as this are loaded at once, in characters. */
const CHARS_OF_PART = 512 * 1024;

/** How much was loaded of the items that rows change: rows of three columns may change items of thousands of values. */
class LoadedItems {
  #items = 0;
  #chars = 0;

  add(items: Iterable<{ readonly chars: number }>): void {
    for (const { chars } of items) {
      this.#items++;
      this.#chars += chars;
    }
  }

  /**
   * How many rows the next part has, if their items are as large as those so far. As long as rows only create items,
   * which loads nothing, it grows with the rows that were applied: those behind them may change large items.
   */
  rowsOfNext(applied: number): number {
    if (this.#items === 0) return applied * GROWTH;
    return Math.max(LEAST_ROWS, Math.floor((CHARS_OF_PART * this.#items) / Math.max(this.#chars, 1)));
  }
}

/** Like applyBisecting. Where one part of the rows ends and the next begins matters as little as it does for chunks. */
export async function applyInParts(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<AppliedRows> {
  // Nothing is loaded of new items.
  if (options.siteWasEmpty || rows.length <= FIRST_ROWS) return applyBisecting(trx, rows, options);
  const loaded = new LoadedItems();
  const outcomes: (readonly Outcome[])[] = [];
  const failures: RowFailure[] = [];
  const changes: AppliedRows['changes'][] = [];
  for (let start = 0, count = FIRST_ROWS; start < rows.length; count = loaded.rowsOfNext(start)) {
    const end = endOfPart(rows, start, count);
    const result = await applyBisecting(trx, rows.slice(start, end), { ...options, loaded });
    if (options.guarded) await trx.raw(`RELEASE SAVEPOINT ${BEFORE_ROWS}`);
    outcomes.push(result.outcomes);
    failures.push(...result.failures);
    changes.push(result.changes);
    start = end;
  }
  const none: readonly Outcome[] = [];
  return { outcomes: none.concat(...outcomes), failures, changes: joinedChanges(changes) };
}

/** Rows that are known to change nothing load nothing. */
function endOfPart(rows: readonly ReadRow[], start: number, count: number): number {
  let end = start;
  for (let left = count; end < rows.length && left > 0; end++) if (rows[end] !== UNCHANGED_ROW) left--;
  return end;
}
