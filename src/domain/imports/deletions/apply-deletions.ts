/** Deletes items that no other item refers to, with everything that belongs to them. */
import type { Knex } from 'knex';
import { NO_CHANGES } from '../../changes/model/item-change.js';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { Outcome, RowFailure } from '../../outcomes/model/chunk-result.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import { duplicateProblem } from '../pipeline/superseded-rows.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { findHeld, type Holder, whyHeld } from './find-held.js';
import { removeItems } from './remove-items.js';

/** A row that names an item to delete. */
export interface ReadDeletion {
  readonly row: number;
  /** Trimmed and in NFC; empty when the row has none. */
  readonly sku: string;
  /** Why it is not applied, whatever it says. */
  readonly refused?: RowProblem;
}

interface ApplyDeletions {
  readonly siteId: number;
  readonly channel: number | null;
  /** Rows with the same key as another row: superseded row → winning row. */
  readonly duplicates: ReadonlyMap<number, number>;
}

const COLUMN = 'sku';

/** Deletes the items of a chunk; those that refer to each other may go together. The caller's job is exclusive. */
export async function applyDeletions(
  trx: Knex.Transaction,
  rows: readonly ReadDeletion[],
  { siteId, channel, duplicates }: ApplyDeletions,
): Promise<AppliedRows> {
  // Of several rows with one SKU the one that deletes the item: its change is compared with what was approved of this row.
  const wanted = new Map(
    rows.flatMap(({ row, sku, refused }) =>
      sku !== '' && refused === undefined && !duplicates.has(row) ? [[sku, row]] : [],
    ),
  );
  const found = await lockVisible(trx, siteId, channel, [...wanted.keys()]);
  const held = await findHeld(trx, siteId, found);
  const leaving = [...found].filter((sku) => !held.has(sku));
  const changed = await removeItems(trx, siteId, leaving, wanted);
  const outcomes: Outcome[] = [];
  const failures: RowFailure[] = [];
  for (const { row, sku, refused } of rows) {
    const winner = duplicates.get(row);
    const problem =
      winner === undefined
        ? (refused ?? problemOf(sku, channel, found, held))
        : duplicateProblem(COLUMN, winner, 'first');
    if (problem !== null) failures.push({ row, key: sku === '' ? null : sku, problems: [problem] });
    outcomes.push(winner !== undefined ? OUTCOME.duplicate : problem === null ? OUTCOME.deleted : OUTCOME.failed);
  }
  return { outcomes, failures, changes: { ...NO_CHANGES, changed } };
}

function problemOf(
  sku: string,
  channel: number | null,
  found: ReadonlySet<string>,
  held: ReadonlyMap<string, Holder>,
): RowProblem | null {
  if (sku === '') return { code: 'SKU_REQUIRED', column: COLUMN, message: 'the SKU is empty; name an item' };
  const value = storable(sku, 200);
  if (!found.has(sku)) {
    const seen = channel === null ? '' : ` that channel ${channel} shows`;
    const message = `there is no item with this SKU${seen}; correct it, or leave it out if the item was deleted before`;
    return { code: 'SKU_NOT_FOUND', column: COLUMN, message, value };
  }
  const holder = held.get(sku);
  if (holder === undefined) return null;
  const message = `${whyHeld(holder)}, and is not deleted; delete both in one request, or change "${storable(holder.sku, 100)}" first`;
  return { code: 'ITEM_IN_USE', column: COLUMN, message, value };
}

/** Finds the SKUs that exist and are visible in the channel, and locks their rows in the order of their keys. */
async function lockVisible(
  trx: Knex.Transaction,
  siteId: number,
  channel: number | null,
  skus: readonly string[],
): Promise<Set<string>> {
  const result = await trx.raw(
    `SELECT sku FROM item
     WHERE site_id = :siteId AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))
       AND (channels IS NULL OR :channel::integer IS NULL OR :channel::integer = ANY (channels))
     ORDER BY sku FOR UPDATE`,
    { siteId, channel, skus: JSON.stringify(skus) },
  );
  return new Set(result.rows.map(({ sku }: { sku: string }) => sku));
}
