/** Notes which SKUs the file of a snapshot has, chunk by chunk, in the transaction that applies the chunk. */
import { MAX_SKU_CHARACTERS, normalizeSku } from '../../catalog/items/item-key.js';
import { isLongerThan, isStorable } from '../../kernel/characters.js';
import type { ReadRows } from '../items/item-batch.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { RowApplier } from '../model/row-applier.js';

export function notingSkus(
  applier: RowApplier<ReadRows>,
  { id, options }: Extract<ImportJob, { kind: 'item' }>,
): RowApplier<ReadRows> {
  if (options.snapshot === undefined) return applier;
  return {
    ...applier,
    join: undefined,
    apply: async (trx, read, context) => {
      // Later passes have rows that the first one has noted.
      if (context.pass.number === 0) {
        await trx.raw(
          'INSERT INTO snapshot_sku (job_id, skus) SELECT ?, ARRAY(SELECT jsonb_array_elements_text(?::jsonb))',
          [id, JSON.stringify(skusOf(read))],
        );
      }
      return applier.apply(trx, read, context);
    },
  };
}

/** The SKUs of all rows, whatever becomes of them; those of which no item can have the key are none. */
function skusOf({ rows, unchanged }: ReadRows): string[] {
  const skus = [...unchanged];
  for (const { outcome } of rows) {
    if (outcome.draft !== null) skus.push(outcome.draft.sku);
    else if (outcome.key !== null) skus.push(normalizeSku(outcome.key));
  }
  return skus.filter((sku) => sku !== '' && !isLongerThan(sku, MAX_SKU_CHARACTERS) && isStorable(sku));
}
