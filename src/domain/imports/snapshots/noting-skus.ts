/** Notes which SKUs the file of a snapshot has, and which items it wrote for its feed, in the transaction that applies each chunk. */
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../catalog/items/item-key.js';
import { isLongerThan, isStorable } from '../../kernel/characters.js';
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
      // Later passes have rows that the first one has noted.
      if (context.pass.number === 0) {
        const { words = '', masks = '' } = read.unchanged.numbers ?? {};
        await trx.raw(
          'INSERT INTO snapshot_sku (job_id, skus, words, masks) VALUES (?, ?::text[], ?::bigint[], ?::integer[])',
          [id, arrayOf(skusOf(read, context)), `{${words}}`, `{${masks}}`],
        );
      }
      const applied = await applier.apply(trx, read, context);
      if (feedId !== undefined) await claimItems(trx, { siteId, feedId }, writtenBy(read, applied.outcomes));
      return applied;
    },
  };
}

/**
 * The SKUs of all rows, each once, whatever becomes of them, but for those whose items are known by their numbers; those of which no
 * item can have the key are none.
 */
function skusOf({ rows, unchanged }: ReadRows, { duplicates }: Pick<ApplyContext, 'duplicates'>): string[] {
  const skus = unchanged.numbers === null ? [...unchanged.skus] : [];
  for (const { row, outcome } of rows) {
    if (duplicates.has(row)) continue;
    const sku = outcome.draft?.sku ?? (outcome.key === null ? '' : normalizeSku(outcome.key));
    if (sku !== '' && !isLongerThan(sku, MAX_SKU_CHARACTERS) && isStorable(sku)) skus.push(sku);
  }
  return skus;
}
