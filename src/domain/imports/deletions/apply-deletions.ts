/** Deletes items with everything that is theirs, but for those to which others refer that stay. */
import type { Knex } from 'knex';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../../jobs/chunk-result.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { storable } from '../../kernel/storable-text.js';
import { findHeld, type Holder } from './find-held.js';

/** A row that names what is to go. */
export interface ReadDeletion {
  readonly row: number;
  /** Trimmed and NFC; empty: the row has none. */
  readonly sku: string;
}

export interface ApplyDeletions {
  readonly siteId: number;
  readonly channel: number | null;
  /** Rows that lose to another row with the same key: row → the row that stands. */
  readonly duplicates: ReadonlyMap<number, number>;
}

const COLUMN = 'sku';

/** Items that refer to each other may go together. The caller's job has the site to itself. */
export async function applyDeletions(
  trx: Knex.Transaction,
  rows: readonly ReadDeletion[],
  { siteId, channel, duplicates }: ApplyDeletions,
): Promise<ChunkResult> {
  const wanted = rows.filter(({ row, sku }) => sku !== '' && !duplicates.has(row)).map(({ sku }) => sku);
  const found = await lockSeen(trx, siteId, channel, wanted);
  const held = await findHeld(trx, siteId, found);
  await deleteItems(
    trx,
    siteId,
    [...found].filter((sku) => !held.has(sku)),
  );
  const outcomes: Outcome[] = [];
  const failures: RowFailure[] = [];
  for (const { row, sku } of rows) {
    const standing = duplicates.get(row);
    const problem = standing === undefined ? problemOf(sku, found, held) : duplicateProblem(COLUMN, standing, 'first');
    if (problem !== null) failures.push({ row, key: sku === '' ? null : sku, problems: [problem] });
    outcomes.push(standing !== undefined ? OUTCOME.duplicate : problem === null ? OUTCOME.deleted : OUTCOME.failed);
  }
  return { outcomes, failures };
}

function problemOf(sku: string, found: ReadonlySet<string>, held: ReadonlyMap<string, Holder>): RowProblem | null {
  if (sku === '') return { code: 'SKU_REQUIRED', column: COLUMN, message: 'the SKU is empty; name an item' };
  const value = storable(sku, 200);
  if (!found.has(sku)) {
    const message = 'there is no item with this SKU; correct it, or leave it out if the item is gone already';
    return { code: 'SKU_NOT_FOUND', column: COLUMN, message, value };
  }
  const holder = held.get(sku);
  if (holder === undefined) return null;
  const shown = storable(holder.sku, 100);
  const why = holder.kind === 'variant' ? `"${shown}" is a variant of it` : `the bundle "${shown}" holds it`;
  const message = `${why}, and stays; delete both in one request, or change "${shown}" first`;
  return { code: 'ITEM_IN_USE', column: COLUMN, message, value };
}

/** Of the SKUs those that exist and are seen, their rows locked in the order of their keys. */
async function lockSeen(
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

/** Deletes items and what belongs to them: unique values, places in alternate categories, what bundles hold. */
async function deleteItems(trx: Knex.Transaction, siteId: number, skus: readonly string[]): Promise<void> {
  if (skus.length === 0) return;
  const bindings = { siteId, skus: JSON.stringify(skus) };
  const these = 'ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))';
  await trx.raw(`DELETE FROM item WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM item_unique_value WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM category_item WHERE site_id = :siteId AND sku = ${these}`, bindings);
  await trx.raw(`DELETE FROM bundle_item WHERE site_id = :siteId AND bundle_sku = ${these}`, bindings);
}
