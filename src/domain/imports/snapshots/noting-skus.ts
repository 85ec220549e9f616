/** Notes which SKUs the file of a snapshot has, and which items it wrote for its feed, in the transaction that applies each chunk. */
import type { Knex } from 'knex';
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../catalog/items/item-key.js';
import { isLongerThan, isStorable } from '../../kernel/characters.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { ReadRows } from '../items/item-batch.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ApplyContext, RowApplier } from '../rows/row-applier.js';
import { arrayOf } from './array-of-skus.js';
import { claimItems, feedOf, writtenBy } from './feed-items.js';

export function notingSkus(
  applier: RowApplier<ReadRows>,
  { id, site_id: siteId, options }: Extract<ImportJob, { kind: 'item' }>,
): RowApplier<ReadRows> {
  if (options.snapshot === undefined) return applier;
  const feedId = feedOf(options.snapshot);
  return {
    ...applier,
    join: undefined,
    apply: async (trx, read, context) => {
      const applied = await applier.apply(trx, read, context);
      // Later passes have rows that the first one has noted.
      if (context.pass.number === 0) await note(trx, id, read, context, applied.outcomes);
      if (feedId !== undefined) await claimItems(trx, { siteId, feedId }, writtenBy(read, applied.outcomes));
      return applied;
    },
  };
}

async function note(
  trx: Knex.Transaction,
  jobId: string,
  read: ReadRows,
  context: Pick<ApplyContext, 'duplicates'>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const { words = '', masks = '' } = read.unchanged.numbers ?? {};
  await trx.raw(
    `INSERT INTO snapshot_sku (job_id, skus, words, masks, created_at)
     VALUES (?, ?::text[], ?::bigint[], ?::integer[], CASE WHEN ? THEN now() END)`,
    [jobId, arrayOf(skusOf(read, context, outcomes)), `{${words}}`, `{${masks}}`, outcomes.includes(OUTCOME.created)],
  );
}

/**
 * The SKUs of all rows, each once, whatever becomes of them, but for those whose items are known by their numbers or by the time of
 * their creation; those of which no item can have the key are none.
 */
function skusOf(
  { rows, unchanged }: ReadRows,
  { duplicates }: Pick<ApplyContext, 'duplicates'>,
  outcomes: readonly Outcome[],
): string[] {
  const skus = unchanged.numbers === null ? [...unchanged.skus] : [];
  for (const [index, { row, outcome }] of rows.entries()) {
    if (duplicates.has(row) || outcomes[index] === OUTCOME.created) continue;
    const sku = outcome.draft?.sku ?? (outcome.key === null ? '' : normalizeSku(outcome.key));
    if (sku !== '' && !isLongerThan(sku, MAX_SKU_CHARACTERS) && isStorable(sku)) skus.push(sku);
  }
  return skus;
}
