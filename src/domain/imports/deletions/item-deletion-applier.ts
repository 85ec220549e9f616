/** Deletes items and bundles by SKU, in a job, so that the result of each row is reported. */
import type { Knex } from 'knex';
import { normalizeSku, skuOfElement } from '../../catalog/items/item-key.js';
import type { AppliedRows, ApplyContext, RowApplier, SourceRows } from '../rows/row-applier.js';
import { applyDeletions, type ReadDeletion } from './apply-deletions.js';

interface DeletionJob {
  readonly siteId: number;
  /** Only items that are visible in this channel are deleted; null: all items are visible. */
  readonly channel: number | null;
}

/** Rows are elements `{sku}`. */
export function itemDeletionApplier(job: DeletionJob): RowApplier<ReadDeletion[]> {
  return {
    ordered: true,
    winner: 'first',
    readHeader: () => {
      throw new Error('items are deleted by request, not by file');
    },
    keyOf: skuOfElement,
    normaliseKey: normalizeSku,
    reserve: async () => ({}),
    read: async (source) => readRows(source),
    done: () => undefined,
    apply: (trx: Knex.Transaction, read: ReadDeletion[], context: ApplyContext): Promise<AppliedRows> =>
      applyDeletions(trx, read, { ...job, duplicates: context.duplicates }),
  };
}

function readRows(source: SourceRows): ReadDeletion[] {
  if (source.format !== 'JSON') throw new Error('items are deleted by request, not by file');
  return Array.from(source.rows, ({ row, element }) => ({ row, sku: normalizeSku(skuOfElement(element) ?? '') }));
}
